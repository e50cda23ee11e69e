// fp32 as the accelerator computes it (docs/design.md, section 2), on bit patterns.
//
// Exact by construction: no function here depends on the floating-point environment, so they mean the same with and
// without FTZ/DAZ. A sum or product of two floats is rounded correctly when it is computed in double and then rounded
// once more, because 53 >= 2 * 24 + 2 (Figueroa, "When is double rounding innocuous?", 1995).
// Whole arrays go faster with floats under `FlushScope` (flush_scope.h).
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::numerics {

inline constexpr std::uint32_t kNan = 0x7FC00000U;
inline constexpr std::uint32_t kInfinity = 0x7F800000U;
inline constexpr std::uint32_t kSign = 0x80000000U;

constexpr bool is_nan(std::uint32_t x) { return (x & ~kSign) > kInfinity; }
constexpr bool is_subnormal_or_zero(std::uint32_t x) { return (x & kInfinity) == 0; }

// What an operand counts as: NaN becomes the one NaN, subnormals zero of their sign.
constexpr std::uint32_t canonical(std::uint32_t x) {
  if (is_nan(x)) return kNan;
  return is_subnormal_or_zero(x) ? x & kSign : x;
}

// Rounds a double to nearest even with 24 significant bits, then flushes what is below the normal range.
inline std::uint32_t round_to_fp32(double x) {
  constexpr double kRoundsToNormal = 0x1p-126 - 0x1p-151;  // the tie with 2^-126 goes to the even one, 2^-126
  if (x != x) return kNan;
  if (x < kRoundsToNormal && x > -kRoundsToNormal) return std::bit_cast<std::uint64_t>(x) >> 63 ? kSign : 0U;
  return std::bit_cast<std::uint32_t>(static_cast<float>(x));
}

inline double to_double(std::uint32_t x) { return static_cast<double>(std::bit_cast<float>(canonical(x))); }

inline std::uint32_t add(std::uint32_t a, std::uint32_t b) { return round_to_fp32(to_double(a) + to_double(b)); }
constexpr std::uint32_t negate(std::uint32_t x) { return is_nan(x) ? kNan : canonical(x) ^ kSign; }
inline std::uint32_t subtract(std::uint32_t a, std::uint32_t b) { return add(a, negate(b)); }
inline std::uint32_t multiply(std::uint32_t a, std::uint32_t b) { return round_to_fp32(to_double(a) * to_double(b)); }

// a > b as IEEE has it: false when either is NaN, zeros are equal.
inline bool greater(std::uint32_t a, std::uint32_t b) { return to_double(a) > to_double(b); }
inline bool equal(std::uint32_t a, std::uint32_t b) { return to_double(a) == to_double(b); }

// NaN if either is NaN; max(+0, -0) = +0.
inline std::uint32_t max(std::uint32_t a, std::uint32_t b) {
  if (is_nan(a) || is_nan(b)) return kNan;
  const std::uint32_t x = canonical(a);
  const std::uint32_t y = canonical(b);
  if (equal(x, y)) return x & y;  // zeros of different sign, or the same number
  return greater(x, y) ? x : y;
}

inline std::uint32_t relu(std::uint32_t x) {
  if (is_nan(x)) return kNan;
  return (x & kSign) != 0 ? 0U : canonical(x);
}

}  // namespace heddle::numerics
