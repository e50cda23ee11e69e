#include "driver/xrt/core.h"

#include "driver/registers.h"
#include "driver/waiting.h"
#include "driver/xrt/guarded.h"

namespace heddle::driver {

Core::Core(std::shared_ptr<Board> board, const config::Config& config, unsigned index)
    : board_(std::move(board)),
      index_(index),
      name_("core " + std::to_string(index) + " of " + board_->name()),
      kernel_(board_->take_core(index)) {
  try {
    check(config);
    for (std::uint32_t s = 0; s < kSlots; ++s) {  // what an earlier process left there counts for nothing
      slots_[s] = {~std::uint64_t{0}, 0};
      set_slot(s, {});
    }
  } catch (...) {
    kernel_ = {};
    board_->give_back_core(index_);
    throw;
  }
}

Core::~Core() {
  kernel_ = {};
  board_->give_back_core(index_);
}

xrt::memory_group Core::group(std::uint32_t argument) const {
  return guarded("asking for the memory of " + name_, "see what \"heddle xclbin show\" says of the xclbin",
                 [&] { return static_cast<xrt::memory_group>(kernel_.group_id(static_cast<int>(argument))); });
}

void Core::set_slot(std::size_t slot, const SlotRegisters& registers) {
  if (slots_[slot] == registers) return;
  const std::uint32_t at = registers::kSlot + registers::kSlotStep * static_cast<std::uint32_t>(slot);
  write(at, static_cast<std::uint32_t>(registers.address));
  write(at + 4, static_cast<std::uint32_t>(registers.address >> 32));
  write(at + 8, registers.lines);
  slots_[slot] = registers;
}

void Core::start(std::uint64_t program, std::uint32_t words, std::uint32_t watchdog_cycles) {
  write(registers::kProgram, static_cast<std::uint32_t>(program));
  write(registers::kProgram + 4, static_cast<std::uint32_t>(program >> 32));
  write(registers::kProgramWords, words);
  write(registers::kWatchdog, watchdog_cycles);
  write(registers::kControl, registers::kStart);
}

// XRT itself takes done or idle for the end: done is lost when somebody else has read it.
bool Core::done() { return (read(registers::kControl) & (registers::kDone | registers::kIdle)) != 0; }

std::uint64_t Core::cycles() const { return read64(registers::kCycles); }

std::string Core::waiting() const { return describe_waiting(read(registers::kWaiting), read(registers::kWaitingFor)); }

RunResult Core::result() const {
  RunResult result;
  result.error = static_cast<isa::Error>(read(registers::kError));
  if (result.error != isa::Error::none) result.error_index = read(registers::kErrorIndex);
  if (result.error == isa::Error::watchdog) result.waiting = waiting();
  result.counters.cycles = cycles();
  result.counters.words = read64(registers::kWords);
  const bool large = result.counters.cycles >> 32 != 0;  // no unit's counter is larger: each read costs a round trip
  for (std::uint32_t u = 0; u < isa::kUnitCount; ++u) {
    for (std::uint32_t c = 0; c < isa::kCounterCount; ++c) {
      const std::uint32_t at = registers::kCounter + registers::kUnitStep * u + registers::kCounterStep * c;
      result.counters.unit[u][c] = large ? read64(at) : read(at);
    }
  }
  return result;
}

std::uint32_t Core::read(std::uint32_t address) const {
  return guarded("reading register " + std::to_string(address) + " of " + name_,
                 "the board may have been lost or reset; open it again",
                 [&] { return kernel_.read_register(address); });
}

std::uint64_t Core::read64(std::uint32_t address) const {
  const std::uint64_t low = read(address);
  return low | static_cast<std::uint64_t>(read(address + 4)) << 32;
}

void Core::write(std::uint32_t address, std::uint32_t value) {
  guarded("writing register " + std::to_string(address) + " of " + name_,
          "the board may have been lost or reset; open it again", [&] { kernel_.write_register(address, value); });
}

void Core::check(const config::Config& config) const {
  struct Expected {
    const char* name;
    std::uint32_t address, value;
  };
  const std::uint32_t shape = config.cols | config.axi_ports << 8 | config.weight_fifo << 12 | config.queue_depth << 16;
  const Expected all[] = {{"MAGIC", registers::kMagic, registers::kMagicValue},
                          {"ISA_VERSION", registers::kIsaVersion, isa::kVersion},
                          {"SHAPE", registers::kShape, shape},
                          {"UB_LINES", registers::kUbLines, config.ub_lines},
                          {"ACC_ROWS", registers::kAccRows, config.acc_rows}};
  for (const Expected& expected : all) {
    const std::uint32_t found = read(expected.address);
    if (found != expected.value)
      throw DeviceError("register " + std::string(expected.name) + " of " + name_ + " is " + std::to_string(found) +
                        ", configuration " + config.name + " says " + std::to_string(expected.value) + "; " +
                        board_->path() + " was built from something else, build it again");
  }
}

}  // namespace heddle::driver
