// A board in a process: banks of device memory, and compute units behind one address map of registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "driver/emulation/kernel.h"
#include "sim/verilated/device_memory.h"

namespace heddle::emulation {

inline constexpr std::uint64_t kWindowBytes = 0x10000;  // registers of one compute unit, from a multiple of that

class EmulatedBoard {
 public:
  // Throws DeviceError if the system refuses the address space for so many banks.
  explicit EmulatedBoard(unsigned banks) : memory_(banks) {}

  sim::DeviceMemory& memory() { return memory_; }

  // Throws InputError if `base` is not a multiple of kWindowBytes, or taken.
  void add(std::uint64_t base, std::unique_ptr<Kernel> kernel);

  // 32-bit registers at ascending addresses. Where no unit is, reads give 0xDEADBEEF and writes are lost, as on a
  // board.
  void write_registers(std::uint64_t address, std::span<const std::byte> data);
  void read_registers(std::uint64_t address, std::span<std::byte> data);

  // The running unit whose CTRL this address is, or null.
  const Kernel* running_at(std::uint64_t address) const;

  bool running() const;
  std::uint64_t runs() const;
  void advance();

 private:
  Kernel* find(std::uint64_t address) const;

  sim::DeviceMemory memory_;
  std::map<std::uint64_t, std::unique_ptr<Kernel>> units_;  // base, unit
};

}  // namespace heddle::emulation
