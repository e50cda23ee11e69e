// The transposer: a block of 32 lines becomes 32 rows along the other direction.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/functional/state.h"

namespace heddle::sim {

// out[l].lane[t] = lane l of line `base` + t * stride for t < valid, else +0. Writes all 32 rows of `out`.
void transpose_block(const UnifiedBuffer& buffer, std::size_t base, std::size_t stride, std::uint32_t valid,
                     Bf16Row* out);

}  // namespace heddle::sim
