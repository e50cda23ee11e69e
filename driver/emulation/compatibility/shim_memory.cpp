#include "driver/emulation/compatibility/shim_memory.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace heddle::emulation {
namespace {

constexpr std::size_t kBuffer = std::size_t{64} << 20;

CodeRange allocator;

}  // namespace

void set_message_allocator(const CodeRange& function) { allocator = function; }

void* malloc_hook(std::size_t bytes) {
  return std::malloc(allocator.contains(__builtin_return_address(0)) ? std::max(bytes, kBuffer) : bytes);
}

void* realloc_hook(void* memory, std::size_t bytes) {
  if (!allocator.contains(__builtin_return_address(0))) return std::realloc(memory, bytes);
  if (bytes <= kBuffer) return memory;
  throw std::length_error("XRT's emulation wants to send a message of " + std::to_string(bytes) +
                          " bytes; keep packet_size in [Emulation] of xrt.ini below 32 MiB");
}

}  // namespace heddle::emulation
