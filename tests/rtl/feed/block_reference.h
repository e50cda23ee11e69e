// The arithmetic of docs/design.md, section 2, in plain doubles: slow, and written without a look at sim/numerics or
// the RTL.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace heddle::test {

inline constexpr std::uint32_t kNan = 0x7FC00000;

struct ReferenceBlock {
  std::array<double, 32> mantissa{};
  int exponent = 0;
};

inline ReferenceBlock to_reference_block(const std::array<std::uint16_t, 32>& values) {
  ReferenceBlock block;
  for (const auto value : values) block.exponent = std::max(block.exponent, (value >> 7) & 255);
  if (block.exponent == 255) return block;
  for (unsigned k = 0; k < 32; ++k) {
    const int e = (values[k] >> 7) & 255;
    if (e == 0) continue;
    const double significand = 128 + (values[k] & 127);
    const double mantissa = std::nearbyint(std::ldexp(significand, 7 - (block.exponent - e)));
    block.mantissa[k] = values[k] & 0x8000 ? -mantissa : mantissa;
  }
  return block;
}

// Rounds to 24 bits as if exponents had no limit, then flushes and overflows. The value is not a NaN.
inline std::uint32_t round_to_fp32(double value) {
  if (value == 0) return std::signbit(value) ? 0x80000000u : 0;
  int exponent;
  const double fraction = std::frexp(value, &exponent);  // 0.5 to 1
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(fraction, 24)), exponent - 24);
  const std::uint32_t sign = value < 0 ? 0x80000000u : 0;
  if (std::fabs(rounded) < std::ldexp(1.0, -126)) return sign;
  if (std::fabs(rounded) >= std::ldexp(1.0, 128)) return sign | 0x7F800000;
  return std::bit_cast<std::uint32_t>(static_cast<float>(rounded));
}

// Sums of 32 products below 2^30 are exact in a double.
inline std::uint32_t block_product(const ReferenceBlock& a, const ReferenceBlock& b) {
  if (a.exponent == 255 || b.exponent == 255) return kNan;
  double sum = 0;
  for (unsigned k = 0; k < 32; ++k) sum += a.mantissa[k] * b.mantissa[k];
  return sum == 0 ? 0 : round_to_fp32(std::ldexp(sum, a.exponent + b.exponent - 282));
}

// Both operands are flushed already. The sum of two floats is not always exact in a double, but rounding it twice is
// harmless: a double has more than twice the bits of a float and two to spare.
inline std::uint32_t add_fp32(std::uint32_t a, std::uint32_t b) {
  const double sum = static_cast<double>(std::bit_cast<float>(a)) + static_cast<double>(std::bit_cast<float>(b));
  if (std::isnan(sum)) return kNan;
  if (std::isinf(sum)) return sum < 0 ? 0xFF800000u : 0x7F800000u;
  return round_to_fp32(sum);
}

}  // namespace heddle::test
