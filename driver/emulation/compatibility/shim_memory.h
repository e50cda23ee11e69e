// HwEmShim::alloc_void makes the shim's message buffer grow, and forgets where realloc moved it. Calls of malloc and
// realloc from there get one large buffer that never moves; system memory behind it is used as it is touched.
#pragma once

#include <cstddef>

#include "driver/emulation/compatibility/shim_image.h"

namespace heddle::emulation {

void set_message_allocator(const CodeRange& function);

// In place of the shim's malloc and realloc.
void* malloc_hook(std::size_t bytes);
void* realloc_hook(void* memory, std::size_t bytes);

}  // namespace heddle::emulation
