// The whole interface to a board: buffers, programs, counters, errors.
//
// A board runs one program at a time on one core. Buffers live in device memory; a program reaches them through slots.
// Sizes are bytes, addresses never leave the driver. All calls throw heddle::DeviceError; none waits without a limit.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "rtl/isa/isa.h"

namespace heddle::driver {

inline constexpr std::size_t kSlots = 16;
inline constexpr std::size_t kLineBytes = 64;

// A piece of device memory, freed with its last handle. Handles must not outlive their device.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::size_t bytes() const = 0;  // a whole number of lines
};
using BufferPtr = std::shared_ptr<Buffer>;

struct Launch {
  BufferPtr program;  // 128-bit words, little endian
  std::size_t words = 0;
  std::array<BufferPtr, kSlots> slots;  // null: not declared
  std::uint32_t watchdog_cycles = 0;    // 0: the hardware's default
};

// Cycles of one run. Each unit's causes sum to `cycles`.
struct Counters {
  std::uint64_t cycles = 0;
  std::uint64_t words = 0;
  std::array<std::array<std::uint64_t, isa::kCounterCount>, isa::kUnitCount> unit{};

  // Of runs one after the other.
  Counters& operator+=(const Counters& other) {
    cycles += other.cycles;
    words += other.words;
    for (std::size_t u = 0; u < unit.size(); ++u)
      for (std::size_t cause = 0; cause < unit[u].size(); ++cause) unit[u][cause] += other.unit[u][cause];
    return *this;
  }
};

struct RunResult {
  isa::Error error = isa::Error::none;
  std::uint32_t error_index = 0;  // word of the program
  std::string waiting;            // after a watchdog error: which unit waited for what
  Counters counters;              // the functional device leaves them zero
};

struct DeviceInfo {
  std::string name;    // "verilated", "functional", ...
  std::string detail;  // what a person wants to read next to it
  bool has_cycles = false;
  // What else a report on a run has to name, as {"xclbin", "sim.xclbin, uuid ..."}.
  std::vector<std::pair<std::string, std::string>> parts = {};
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual const config::Config& config() const = 0;

  // Zero-filled memory that a slot with `slot % axi_ports == port` can reach. `bytes` is rounded up to lines.
  virtual BufferPtr allocate(std::size_t bytes, unsigned port) = 0;
  virtual void write(Buffer& buffer, std::size_t offset, std::span<const std::byte> data) = 0;
  virtual void read(const Buffer& buffer, std::size_t offset, std::span<std::byte> data) = 0;

  // Starts a program and returns; `wait` gives its result or throws when `limit` has passed. Buffers of the launch must
  // not be written in between, others may.
  virtual void start(const Launch& launch) = 0;
  virtual RunResult wait(std::chrono::milliseconds limit) = 0;

  RunResult run(const Launch& launch, std::chrono::milliseconds limit = std::chrono::minutes(10)) {
    start(launch);
    return wait(limit);
  }
};

}  // namespace heddle::driver
