#include "sim/numerics/block.h"

#include <algorithm>
#include <cmath>

#include "sim/numerics/fp32.h"

namespace heddle::numerics {
namespace {

constexpr int exponent_of(std::uint16_t bf16) { return (bf16 >> 7) & 0xFF; }

// rne(sig * 2^(7 - shift)), 0 <= shift: one bit more below, so that the rounding term of shift = 0 is zero.
constexpr int aligned_significand(int sig, int shift) {
  const int clamped = std::min(shift, 20);  // everything is zero from 16 on
  const int doubled = sig << 8;
  const int odd = (doubled >> (clamped + 1)) & 1;
  return (doubled + (1 << clamped) - 1 + odd) >> (clamped + 1);
}

}  // namespace

Block to_block(std::span<const std::uint16_t, kBlock> bf16) {
  Block block;
  int largest = 0;
  for (const std::uint16_t x : bf16) largest = std::max(largest, exponent_of(x));
  block.exponent = static_cast<std::uint8_t>(largest);
  for (int k = 0; k < kBlock; ++k) {
    const int e = exponent_of(bf16[k]);
    const int sig = e == 0 ? 0 : (bf16[k] & 0x7F) | 0x80;
    const int magnitude = aligned_significand(sig, largest - e);
    block.mantissa[k] = static_cast<std::int16_t>((bf16[k] & 0x8000) != 0 ? -magnitude : magnitude);
  }
  return block;
}

std::int64_t dot(const Block& a, const Block& b) {
  std::int64_t sum = 0;
  for (int k = 0; k < kBlock; ++k) sum += std::int64_t{a.mantissa[k]} * b.mantissa[k];
  return sum;
}

std::uint32_t block_result(std::int64_t sum, std::uint8_t ea, std::uint8_t eb) {
  if (ea == kPoison || eb == kPoison) return kNan;
  return round_to_fp32(std::ldexp(static_cast<double>(sum), ea + eb - 282));
}

}  // namespace heddle::numerics
