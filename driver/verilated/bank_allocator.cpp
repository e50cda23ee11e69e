#include "driver/verilated/bank_allocator.h"

#include <string>

#include "common/error.h"

namespace heddle::driver {

constexpr std::uint64_t kPage = 4096;

std::uint64_t BankAllocator::allocate(unsigned bank, std::size_t bytes) {
  const std::uint64_t size = (bytes + kPage - 1) / kPage * kPage;
  const std::uint64_t end = (bank + 1) * bank_bytes_;
  std::uint64_t at = bank * bank_bytes_ + kPage;  // address 0 stays free, so that it can mean nothing
  for (auto next = used_.lower_bound(bank * bank_bytes_); next != used_.end() && next->first < end; ++next) {
    if (next->first - at >= size) break;
    at = next->first + next->second;
  }
  if (size > end - at) {
    throw DeviceError("device memory bank " + std::to_string(bank) + " has no room for " + std::to_string(bytes) +
                      " bytes; free buffers or use other ports");
  }
  used_.emplace(at, size);
  return at;
}

void BankAllocator::release(std::uint64_t address) { used_.erase(address); }

}  // namespace heddle::driver
