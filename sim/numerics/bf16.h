// bf16: the upper half of fp32 (docs/design.md, section 2), on bit patterns.
#pragma once

#include <cstdint>

#include "sim/numerics/fp32.h"

namespace heddle::numerics {

inline constexpr std::uint16_t kBf16Nan = 0x7FC0U;

// Exact. NaN becomes the one NaN, subnormals zero of their sign.
constexpr std::uint32_t from_bf16(std::uint16_t x) { return canonical(static_cast<std::uint32_t>(x) << 16); }

// Rounds to nearest even; overflow gives infinity. A normal fp32 never becomes a subnormal bf16: the exponents are
// alike.
constexpr std::uint16_t to_bf16(std::uint32_t x) {
  if (is_nan(x)) return kBf16Nan;
  const std::uint32_t c = canonical(x);
  return static_cast<std::uint16_t>((c + 0x7FFFU + ((c >> 16) & 1U)) >> 16);
}

}  // namespace heddle::numerics
