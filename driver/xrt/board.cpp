#include "driver/xrt/board.h"

#include <experimental/xrt_system.h>
#include <experimental/xrt_xclbin.h>

#include <cstdlib>
#include <cstring>

#include "common/error.h"
#include "driver/emulation/environment.h"
#include "driver/xrt/bitstreams.h"
#include "driver/xrt/board_name.h"
#include "driver/xrt/guarded.h"
#include "driver/xrt/quiet.h"

namespace heddle::driver {
namespace {

constexpr const char* kSetUp = "install XRT and source its setup.sh, and see what \"heddle devices\" lists";

// What XRT keeps for the whole process, whether we like it or not: the kind of its boards, and which are open.
struct Process {
  std::mutex mutex;
  std::unique_ptr<emulation::Environment> emulation;
  bool uses_cards = false;
  std::map<std::string, std::weak_ptr<Board>> boards;
};

Process& process() {
  static Process one;
  return one;
}

// XRT reads its environment at its first call.
void choose_emulation(Process& state, const config::Config& config) {
  if (state.uses_cards)
    throw DeviceError("this process uses cards, so XRT gives it no emulated board; use one of them in another process");
  if (!state.emulation) state.emulation = std::make_unique<emulation::Environment>(config, kEmulatedBoards);
}

void choose_cards(Process& state) {
  if (state.emulation)
    throw DeviceError("this process uses emulated boards, so XRT gives it no card; use one of them in another process");
  if (const char* mode = std::getenv("XCL_EMULATION_MODE"))
    throw DeviceError(std::string("XCL_EMULATION_MODE is ") + mode + ", so XRT gives no card; unset it");
  state.uses_cards = true;
}

BoardName first_free(const Process& state, BoardName name) {
  for (unsigned i = 0; i < kEmulatedBoards; ++i) {
    name.index = i;
    const auto found = state.boards.find(name.text());
    if (found == state.boards.end() || found->second.expired()) return name;
  }
  throw DeviceError("this process uses all " + std::to_string(kEmulatedBoards) +
                    " emulated boards; close a device or use more processes");
}

xrt::device open_device(const BoardName& name) {
  return guarded("opening " + name.text(), kSetUp, [&] {
    if (!name.bdf.empty()) return xrt::device(name.bdf);
    if (!name.emulated && *name.index >= xrt::system::enumerate_devices())
      throw DeviceError("XRT sees " + std::to_string(xrt::system::enumerate_devices()) + " cards, so there is no " +
                        name.text() + "; plug one in, or use \"heddle devices\" to see which there are");
    return xrt::device(*name.index);
  });
}

std::string platform_of(xrt::device& device, const std::string& name) {
  return guarded("asking " + name + " for its platform", kSetUp,
                 [&] { return device.get_info<xrt::info::device::name>(); });
}

std::string choose_xclbin(const config::Config& config, const XrtOptions& options, const BoardName& name,
                          xrt::device& device) {
  if (!options.xclbin.empty()) return options.xclbin;
  if (name.emulated) return find_emulated_xclbin(config).string();
  return find_card_xclbin(config, platform_of(device, name.text())).string();
}

std::string sentences(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& line : list) text += "\n  " + line;
  return text;
}

}  // namespace

std::shared_ptr<Board> Board::open(const config::Config& config, const XrtOptions& options) {
  BoardName name = parse_board(options.board);
  Process& state = process();
  const std::lock_guard lock(state.mutex);  // XRT's emulation mixes up boards that are loaded at once
  HeldOutput output;                        // one at a time, too
  name.emulated ? choose_emulation(state, config) : choose_cards(state);
  if (name.emulated && !name.index) name = first_free(state, name);
  std::weak_ptr<Board>& known = state.boards[name.text()];
  if (const std::shared_ptr<Board> board = known.lock()) {
    const auto differences = xclbin::differences(board->image(), config);
    if (!differences.empty())
      throw DeviceError(name.text() + " is in use with " + board->path() + ", which does not fit configuration " +
                        config.name + "; use another board:" + sentences(differences));
    return board;
  }
  xrt::device device = open_device(name);
  const std::string path = choose_xclbin(config, options, name, device);
  const std::shared_ptr<Board> board(new Board(name.text(), std::move(device), path, config));
  if (board->emulated() != name.emulated)
    throw DeviceError(path + " is for a " + name_of(board->image().mode) + ", not for " + name.text());
  known = board;
  output.went_well();
  return board;
}

Board::Board(std::string name, xrt::device device, std::string path, const config::Config& config)
    : name_(std::move(name)), device_(std::move(device)), path_(std::move(path)), image_(xclbin::load(path_)) {
  const auto differences = xclbin::differences(image_, config);
  if (!differences.empty())
    throw DeviceError(
        path_ + " does not fit configuration " + config.name +
        ", which the compiler works for; give another with --xclbin or --config:" + sentences(differences));
  if (!image_.emulated()) {
    const std::string shell = platform_of(device_, name_);
    if (!same_board(shell, image_.platform))
      throw DeviceError(path_ + " is for platform " + image_.platform + ", but " + name_ + " has the shell " + shell +
                        "; use an xclbin for this shell, or flash the other");
  }
  load(config);
}

void Board::load(const config::Config& config) {
  const std::string mend =
      image_.emulated()
          ? "make the file again with \"heddle xclbin make --config " + config.name + "\""
          : "end other programs that use the card, and compare its shell with the file's platform, " + image_.platform;
  guarded("loading " + path_ + " on " + name_, mend, [&] { uuid_ = device_.load_xclbin(path_); });
  const std::string wants = xclbin::to_string(image_.uuid);
  const std::string loaded = device_.get_xclbin_uuid().to_string();
  if (loaded != wants)
    throw DeviceError(name_ + " has xclbin " + loaded + ", but " + path_ + " is " + wants +
                      "; another program has loaded it in between");
}

xrt::kernel Board::take_core(unsigned core) {
  const std::lock_guard lock(mutex_);
  if (core >= image_.kernel.units.size())
    throw InputError(name_ + " has no core " + std::to_string(core) + "; " + path_ + " has cores 0 to " +
                     std::to_string(image_.kernel.units.size() - 1));
  if (taken_.contains(core))
    throw DeviceError("core " + std::to_string(core) + " of " + name_ +
                      " is in use in this process; use another core or board");
  const std::string unit = image_.kernel.kernel + ":{" + xclbin::unit_name(core) + "}";
  xrt::kernel kernel =
      guarded("opening " + unit + " on " + name_, "another process may have it; end that or use another core",
              [&] { return xrt::kernel(device_, uuid_, unit, xrt::kernel::cu_access_mode::exclusive); });
  taken_.insert(core);
  return kernel;
}

void Board::give_back_core(unsigned core) {
  const std::lock_guard lock(mutex_);
  taken_.erase(core);
}

void Board::count(xrt::memory_group group, std::size_t bytes, bool allocated) {
  const std::lock_guard lock(mutex_);
  bytes_[group] += allocated ? bytes : -bytes;
}

std::string Board::describe_memory(xrt::memory_group group) const {
  const std::lock_guard lock(mutex_);
  const auto found = bytes_.find(group);
  const std::string used = std::to_string((found == bytes_.end() ? 0 : found->second) >> 20) + " MiB";
  const auto& banks = image_.kernel.banks;
  if (group >= banks.size()) return "memory group " + std::to_string(group) + ": " + used + " are in use";
  return banks[group].tag + ": " + used + " of " + std::to_string(banks[group].bytes >> 20) + " MiB are in use";
}

}  // namespace heddle::driver
