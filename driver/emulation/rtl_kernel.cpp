#include "driver/emulation/rtl_kernel.h"

#include <chrono>
#include <thread>

#include "driver/registers.h"

namespace heddle::emulation {
namespace {

namespace registers = driver::registers;
using Clock = std::chrono::steady_clock;

constexpr unsigned kLongestSlice = 4096;  // cycles
constexpr auto kSliceTime = std::chrono::microseconds(100);
constexpr std::uint64_t kWordBytes = 16;

}  // namespace

RtlKernel::RtlKernel(const config::Config& config, const driver::VerilatedOptions& options, sim::DeviceMemory& memory,
                     const Faults& faults)
    : core_(config, options, memory), faults_(faults) {
  core_.check_identity();
  core_.write_register(registers::kGlobalInterrupt, 1);
  core_.write_register(registers::kInterruptEnable, 1);
}

void RtlKernel::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case registers::kGlobalInterrupt:
      global_interrupt_ = value & 1;
      return;
    case registers::kInterruptEnable:
      interrupt_enable_ = value & 3;
      return;
    case registers::kInterruptStatus:
      return;
    case registers::kControl:
      if ((value & registers::kStart) != 0 && !running_) start();
      return;
    default:
      store(offset, value);
  }
}

// XRT writes all arguments before each run; what the core holds already is spared its cycles.
void RtlKernel::store(std::uint32_t offset, std::uint32_t value) {
  if (offset < registers::kProgram || offset >= registers::kError) return core_.write_register(offset, value);
  const auto [entry, fresh] = stored_.try_emplace(offset, value);
  if (!fresh && entry->second == value) return;
  entry->second = value;
  core_.write_register(offset, value);
}

std::uint32_t RtlKernel::read(std::uint32_t offset) {
  switch (offset) {
    case registers::kGlobalInterrupt:
      return global_interrupt_;
    case registers::kInterruptEnable:
      return interrupt_enable_;
    case registers::kInterruptStatus:
      return 0;
    case registers::kControl:
      if (running_ || fault(FaultKind::lost_completion)) return registers::kStart;
      break;
    case registers::kMagic:
    case registers::kIsaVersion:
    case registers::kShape:
      if (faults_.always(FaultKind::wrong_uuid)) return ~core_.read_register(offset);
      break;
    default:
      break;
  }
  return core_.read_register(offset);
}

void RtlKernel::start() {
  ++run_;
  running_ = true;
  plant_errors();
  if (!fault(FaultKind::stuck_kernel)) core_.write_register(registers::kControl, registers::kStart);
}

void RtlKernel::advance() {
  if (fault(FaultKind::stuck_kernel)) {
    std::this_thread::sleep_for(kSliceTime);
    return;
  }
  const Clock::time_point begin = Clock::now();
  for (unsigned i = 0; i < slice_ && !core_.interrupt(); ++i) core_.cycle();
  if (core_.interrupt()) return finish();
  const Clock::duration took = Clock::now() - begin;
  if (took < kSliceTime / 2 && slice_ < kLongestSlice) slice_ *= 2;
  if (took > kSliceTime * 2 && slice_ > 1) slice_ /= 2;
}

void RtlKernel::finish() {
  core_.write_register(registers::kInterruptStatus, 1);
  core_.memory().clear_errors();
  running_ = false;
}

RtlKernel::Range RtlKernel::program() {
  return {core_.read_register64(registers::kProgram), core_.read_register(registers::kProgramWords) * kWordBytes};
}

RtlKernel::Range RtlKernel::slot(std::uint32_t index) {
  const std::uint32_t at = registers::kSlot + registers::kSlotStep * index;
  return {core_.read_register64(at), core_.read_register(at + 8) * std::uint64_t{driver::kLineBytes}};
}

void RtlKernel::plant_errors() {
  using Access = sim::AxiMemory::Access;
  const auto plant = [&](Range range, Access access) {
    if (range.bytes != 0) core_.memory().plant_error(range.address, range.address + range.bytes - 1, access);
  };
  if (fault(FaultKind::fetch_error)) plant(program(), Access::read);
  for (std::uint32_t s = 0; s < driver::kSlots; ++s) {
    if (fault(FaultKind::read_error)) plant(slot(s), Access::read);
    if (fault(FaultKind::write_error)) plant(slot(s), Access::write);
  }
}

}  // namespace heddle::emulation
