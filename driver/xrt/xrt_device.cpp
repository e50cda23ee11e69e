#include "driver/xrt/xrt_device.h"

#include <algorithm>
#include <thread>

#include "common/error.h"
#include "common/seconds_variable.h"
#include "driver/checks.h"
#include "driver/xclbin/kernel_interface.h"
#include "driver/xrt/board.h"
#include "driver/xrt/buffer.h"
#include "driver/xrt/core.h"
#include "driver/xrt/libraries.h"

namespace heddle::driver {
namespace {

using Clock = std::chrono::steady_clock;

// Programs have no loops, so each one ends, by its last word or by the watchdog.
constexpr std::chrono::minutes kAbandonedLimit{2};  // for one whose `wait` gave up, before the next start
constexpr const char* kStillVariable = "HEDDLE_XRT_STILL_LIMIT";
constexpr std::chrono::seconds kStillLimit{30};  // without a cycle; emulated boards may wait for a processor that long
constexpr std::chrono::milliseconds kLookInterval{500};
constexpr std::chrono::seconds kClosingLimit{10};  // before its buffers go back to a card's other users

class XrtDevice final : public Device {
 public:
  XrtDevice(const config::Config& config, const std::shared_ptr<Board>& board, unsigned core)
      : config_(config), board_(board), core_(board, config, core) {
    info_.name = "xrt";
    info_.detail = board->name() + " (" + board->platform() + "), core " + std::to_string(core);
    info_.parts = {{"xclbin", board->path() + ", uuid " + xclbin::to_string(board->image().uuid)},
                   {"xrt", xrt_libraries()}};
    info_.has_cycles = true;
    for (unsigned p = 0; p < config.axi_ports; ++p) groups_.push_back(core_.group(xclbin::slot_argument(p)));
    program_group_ = core_.group(xclbin::kProgramArgument);
  }

  // An emulated board's memory dies with it; a card's goes to others, which a running program must not write.
  ~XrtDevice() override {
    try {
      if (running_ && !board_->emulated()) await(kClosingLimit);
    } catch (const std::exception&) {  // there is nobody left to tell
    }
  }

  const DeviceInfo& info() const override { return info_; }
  const config::Config& config() const override { return config_; }

  BufferPtr allocate(std::size_t bytes, unsigned port) override {
    bytes = check_allocation(bytes, port, config_);
    return std::make_shared<XrtBuffer>(board_, bytes, groups_[port], port, this);
  }

  void write(Buffer& buffer, std::size_t offset, std::span<const std::byte> data) override {
    XrtBuffer& mine = own(buffer);
    check_range("a write", mine.bytes(), offset, data.size());
    mine.write(offset, data);
  }

  void read(const Buffer& buffer, std::size_t offset, std::span<std::byte> data) override {
    const XrtBuffer& mine = own(buffer);
    check_range("a read", mine.bytes(), offset, data.size());
    mine.read(offset, data);
  }

  void start(const Launch& launch) override {
    if (running_ && !abandoned_) throw DeviceError("a program is still running; wait for it before the next start");
    check_launch(launch);
    const XrtBuffer& program = own(*launch.program);
    if (program.group() != program_group_)
      throw DeviceError("the program is in memory that only port " + std::to_string(program.port()) +
                        " reaches; allocate it for port 0");
    for (std::size_t s = 0; s < kSlots; ++s)
      if (launch.slots[s]) check_slot_port(s, own(*launch.slots[s]).port(), config_);
    if (abandoned_) end_abandoned();
    for (std::size_t s = 0; s < kSlots; ++s) core_.set_slot(s, registers_of(launch.slots[s].get()));
    launch_ = launch;
    running_ = true;
    core_.start(program.address(), static_cast<std::uint32_t>(launch.words), launch.watchdog_cycles);
  }

  RunResult wait(std::chrono::milliseconds limit) override {
    if (!running_ || abandoned_) throw DeviceError("nothing was started; call start before wait");
    if (!await(limit)) {
      abandoned_ = true;
      throw DeviceError("the program did not end within " + std::to_string(limit.count()) + " ms on " + board_->name() +
                        "; it goes on there, and the next start waits for its end. At this moment:\n" +
                        core_.waiting() + "Give it more time, or find out why it waits.");
    }
    return core_.result();
  }

 private:
  static SlotRegisters registers_of(const Buffer* buffer) {
    if (buffer == nullptr) return {};
    const auto& mine = static_cast<const XrtBuffer&>(*buffer);
    return {mine.address(), static_cast<std::uint32_t>(mine.bytes() / kLineBytes)};
  }

  // Whether the program ended within the limit. Short programs are polled without pause. Throws if the core stands
  // still: a program that runs or waits has a cycle counter that goes on.
  bool await(std::chrono::milliseconds limit) {
    const Clock::time_point start = Clock::now(), end = start + limit;
    std::chrono::microseconds pause{0};
    Progress progress{start, start, 0};
    while (!core_.done()) {
      const Clock::time_point now = Clock::now();
      if (now >= end) return false;
      if (now - progress.looked > kLookInterval) check_progress(progress, now);
      if (now - start > std::chrono::milliseconds(1)) {
        pause = std::min(pause + std::chrono::microseconds(10), std::chrono::microseconds(200));
        std::this_thread::sleep_for(pause);
      }
    }
    running_ = abandoned_ = false;
    launch_ = {};
    return true;
  }

  struct Progress {
    Clock::time_point looked, moved;
    std::uint64_t cycles;
  };
  void check_progress(Progress& progress, Clock::time_point now) {
    progress.looked = now;
    const std::uint64_t cycles = core_.cycles();
    if (cycles != progress.cycles) {
      progress.moved = now;
      progress.cycles = cycles;
    }
    if (now - progress.moved < still_limit_) return;
    abandoned_ = true;
    throw DeviceError("core stands still on " + board_->name() + ": for " + std::to_string(still_limit_.count()) +
                      " s (" + kStillVariable + ") its cycle counter has been " + std::to_string(cycles) +
                      ", and it reports no end of the program. At this moment:\n" + core_.waiting() + way_out());
  }

  void end_abandoned() {
    if (await(kAbandonedLimit)) return;
    throw DeviceError("the program that was given up still runs on " + board_->name() + ":\n" + core_.waiting() +
                      way_out());
  }
  std::string way_out() const {
    return board_->emulated() ? "Open the device again." : "Reset the card with \"xbutil reset\".";
  }

  const XrtBuffer& own(const Buffer& buffer) const {
    const auto* mine = dynamic_cast<const XrtBuffer*>(&buffer);
    if (mine == nullptr || mine->owner() != this)
      throw DeviceError("a buffer of another device was handed to " + board_->name() + "; allocate it here");
    return *mine;
  }
  XrtBuffer& own(Buffer& buffer) const { return const_cast<XrtBuffer&>(own(std::as_const(buffer))); }

  config::Config config_;
  std::shared_ptr<Board> board_;
  Core core_;
  DeviceInfo info_;
  std::vector<xrt::memory_group> groups_;  // per port
  xrt::memory_group program_group_ = 0;
  Launch launch_;  // keeps its buffers alive
  const std::chrono::seconds still_limit_ = seconds_variable(kStillVariable, kStillLimit);
  bool running_ = false;
  bool abandoned_ = false;
};

}  // namespace

std::unique_ptr<Device> make_xrt_device(const config::Config& config, const XrtOptions& options) {
  return std::make_unique<XrtDevice>(config, Board::open(config, options), options.core);
}

}  // namespace heddle::driver
