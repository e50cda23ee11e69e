// A core's registers through XRT: start, state, results.
#pragma once

#include <xrt/xrt_kernel.h>

#include <array>
#include <memory>
#include <string>

#include "driver/device.h"
#include "driver/xrt/board.h"

namespace heddle::driver {

// Base and lines of a slot; zeros for one that is not declared.
struct SlotRegisters {
  std::uint64_t address = 0;
  std::uint32_t lines = 0;
  bool operator==(const SlotRegisters&) const = default;
};

class Core {
 public:
  // Throws DeviceError if the core is taken, or is not what the configuration says.
  Core(std::shared_ptr<Board> board, const config::Config& config, unsigned index);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  xrt::memory_group group(std::uint32_t argument) const;  // of memory that an argument's pointer reaches

  // Registers keep their values from run to run, so only changes are written.
  void set_slot(std::size_t slot, const SlotRegisters& registers);
  void start(std::uint64_t program, std::uint32_t words, std::uint32_t watchdog_cycles);
  bool done();
  RunResult result() const;
  std::uint64_t cycles() const;  // of the program so far
  std::string waiting() const;   // which unit waits for what, right now

 private:
  std::uint32_t read(std::uint32_t address) const;
  std::uint64_t read64(std::uint32_t address) const;
  void write(std::uint32_t address, std::uint32_t value);
  void check(const config::Config& config) const;

  std::shared_ptr<Board> board_;
  unsigned index_;
  std::string name_;  // "core 0 of emulated board 0"
  mutable xrt::kernel kernel_;
  std::array<SlotRegisters, kSlots> slots_{};
};

}  // namespace heddle::driver
