#include "driver/emulation/compatibility/shim_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

#include "driver/emulation/compatibility/completions.h"

namespace heddle::emulation {
namespace {

constexpr std::size_t kBuffer = std::size_t{64} << 20;

constexpr std::size_t kLargestCommand = 64 << 10;
constexpr auto kStay = std::chrono::seconds(2);

using Clock = std::chrono::steady_clock;
struct Condemned {
  void* memory;
  Clock::time_point since;
};

CodeRange allocator;

// Never destroyed: devices may be closed after the library's variables.
struct Buffers {
  std::mutex mutex;
  std::set<void*> used;             // handed out, not given back
  std::deque<Condemned> condemned;  // given back, perhaps still looked at; oldest first
};
Buffers& buffers() {
  static Buffers& all = *new Buffers;
  return all;
}

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

int posix_memalign_hook(void** memory, std::size_t alignment, std::size_t bytes) {
  const int result = ::posix_memalign(memory, alignment, bytes);
  const std::lock_guard lock(buffers().mutex);
  if (result == 0) buffers().used.insert(*memory);
  return result;
}

int munmap_hook(void* memory, std::size_t bytes) {
  const std::lock_guard lock(buffers().mutex);
  if (buffers().used.erase(memory) == 0) return ::munmap(memory, bytes);
  if (bytes > kLargestCommand) {
    std::free(memory);
    return 0;
  }
  const Clock::time_point now = Clock::now();
  buffers().condemned.push_back({memory, now});
  for (; !kernels_run() && now - buffers().condemned.front().since > kStay; buffers().condemned.pop_front()) {
    std::free(buffers().condemned.front().memory);
  }
  return 0;
}

}  // namespace heddle::emulation
