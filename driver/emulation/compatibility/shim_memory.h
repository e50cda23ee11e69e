// The shim's memory: its message buffer, and the host's side of buffer objects.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "driver/emulation/compatibility/shim_image.h"

namespace heddle::emulation {

// HwEmShim::alloc_void makes the shim's message buffer grow, and forgets where realloc moved it. Calls of malloc and
// realloc from there get one large buffer that never moves; system memory behind it is used as it is touched.
void set_message_allocator(const CodeRange& function);
void* malloc_hook(std::size_t bytes);
void* realloc_hook(void* memory, std::size_t bytes);

// Buffer objects are taken from the heap and given back by unmapping that part of the heap. Here they are freed. Small
// ones may be commands that the scheduler still looks at, because a program gave up its wait for them: they stay for
// some seconds, and while kernels run.
int posix_memalign_hook(void** memory, std::size_t alignment, std::size_t bytes);
int munmap_hook(void* memory, std::size_t bytes);

}  // namespace heddle::emulation
