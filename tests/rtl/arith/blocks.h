// bfp16 as docs/design.md section 2 has it, from its formulas in exact double arithmetic: independent of sim/numerics.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "tests/rtl/arith/floats.h"

namespace heddle::test {

inline constexpr int kBlock = 32;

inline int exponent_of(std::uint16_t bf16) { return (bf16 >> 7) & 0xFF; }

// rne(sig * 2^(7 - (E - e))) with its sign.
inline int mantissa_of(std::uint16_t bf16, int block_exponent) {
  const int e = exponent_of(bf16);
  if (e == 0) return 0;
  const double magnitude = std::nearbyint(std::ldexp(128 + (bf16 & 0x7F), 7 - (block_exponent - e)));
  return static_cast<int>((bf16 & 0x8000) != 0 ? -magnitude : magnitude);
}

// rne_fp32(sum * 2^(ea + eb - 282)): rounded to 24 bits, then flushed or infinite.
inline std::uint32_t block_result(std::int64_t sum, int ea, int eb) {
  if (ea == 255 || eb == 255) return 0x7FC00000U;
  if (sum == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(sum), &exponent);  // 0.5 <= |fraction| < 1
  double rounded = std::nearbyint(std::ldexp(fraction, 24));                // 24 bits
  rounded = std::ldexp(rounded, exponent - 24 + ea + eb - 282);
  if (std::fabs(rounded) < 0x1p-126) return rounded < 0 ? 0x80000000U : 0U;
  return as_bits(static_cast<float>(rounded));  // exact, or Inf
}

// Blocks of bf16 that find faults: wide spread, saturating, one-hot, alternating sign, subnormal, Inf and NaN.
class HardBlocks {
 public:
  explicit HardBlocks(std::uint64_t seed) : random_(seed) {}

  std::array<std::uint16_t, kBlock> operator()() {
    std::array<std::uint16_t, kBlock> block{};
    const auto kind = random_() % 12;
    const int base = static_cast<int>(random_() % 254);
    const auto spread = 1 + random_() % 24;
    const auto hot = random_() % kBlock;
    for (std::size_t k = 0; k < kBlock; ++k) {
      const auto bits = static_cast<std::uint16_t>(random_());
      const auto near = static_cast<std::uint16_t>(
          (bits & 0x807F) | (std::clamp<int>(base - static_cast<int>(random_() % spread), 0, 254) << 7));
      switch (kind) {
        case 0:
          block[k] = 0x7F7F;
          break;  // saturates, one sign
        case 1:
          block[k] = static_cast<std::uint16_t>(0x3FFF | ((k % 2) << 15));
          break;  // alternating
        case 2:
          block[k] = k == hot ? near : 0;
          break;  // one-hot
        case 3:
          block[k] = static_cast<std::uint16_t>(bits & 0x80FF);
          break;  // subnormal and just above
        case 4:
          block[k] = k == hot ? (bits | 0x7F80) : near;
          break;  // Inf or NaN
        case 5:
          block[k] = static_cast<std::uint16_t>(bits & 0xBFFF);
          break;  // any exponent below 128
        case 6:
          block[k] = static_cast<std::uint16_t>(k % 2 ? block[k - 1] ^ 0x8000 : near);
          break;  // cancels
        case 7:
          block[k] = static_cast<std::uint16_t>(bits & 0x8000);
          break;  // zeros of both signs
        default:
          block[k] = near;  // ordinary
      }
    }
    return block;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace heddle::test
