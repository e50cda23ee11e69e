// Places buffers in the banks of the simulated device memory: first fit, page aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace heddle::driver {

class BankAllocator {
 public:
  explicit BankAllocator(std::uint64_t bank_bytes) : bank_bytes_(bank_bytes) {}

  // An address in `bank`. Throws DeviceError if nothing large enough is free.
  std::uint64_t allocate(unsigned bank, std::size_t bytes);
  void release(std::uint64_t address);

 private:
  std::uint64_t bank_bytes_;
  std::map<std::uint64_t, std::uint64_t> used_;  // address, bytes
};

}  // namespace heddle::driver
