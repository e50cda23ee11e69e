#include "sim/verilated/device_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "common/error.h"

namespace heddle::sim {

DeviceMemory::DeviceMemory(unsigned banks, std::uint64_t bank_bytes)
    : banks_(banks), bank_bytes_(bank_bytes), size_(banks * bank_bytes) {
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw DeviceError("simulated device memory: cannot reserve " + std::to_string(size_ >> 20) +
                      " MiB of address space (" + std::strerror(errno) + "); raise the limit (ulimit -v)");
  }
  base_ = static_cast<std::byte*>(memory);
}

DeviceMemory::~DeviceMemory() { munmap(base_, size_); }

void DeviceMemory::discard(std::uint64_t address, std::size_t bytes) {
  if (madvise(base_ + address, bytes, MADV_DONTNEED) != 0) std::memset(base_ + address, 0, bytes);
}

}  // namespace heddle::sim
