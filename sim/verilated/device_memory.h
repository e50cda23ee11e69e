// The storage behind a simulated board: banks of device memory, zero at the start. Pages that nobody touches cost
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::sim {

inline constexpr std::size_t kBeatBytes = 64;

// Bank b holds the addresses [b * bank_bytes, (b + 1) * bank_bytes).
class DeviceMemory {
 public:
  static constexpr std::uint64_t kBankBytes = std::uint64_t{4} << 30;

  // Throws DeviceError if the system refuses the address space.
  explicit DeviceMemory(unsigned banks, std::uint64_t bank_bytes = kBankBytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  unsigned banks() const { return banks_; }
  std::uint64_t bank_bytes() const { return bank_bytes_; }
  unsigned bank_of(std::uint64_t address) const { return static_cast<unsigned>(address / bank_bytes_); }

  // The bytes at `address`, or null if [address, address + bytes) is outside.
  std::byte* at(std::uint64_t address, std::size_t bytes) const {
    return address <= size_ && bytes <= size_ - address ? base_ + address : nullptr;
  }

  // Makes whole pages (4 KiB) zero again and gives them back to the system.
  void discard(std::uint64_t address, std::size_t bytes);

 private:
  unsigned banks_;
  std::uint64_t bank_bytes_;
  std::uint64_t size_;
  std::byte* base_;
};

}  // namespace heddle::sim
