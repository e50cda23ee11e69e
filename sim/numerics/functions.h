// exp, log and reciprocal of fp32, in integer arithmetic: the bits that rtl/vector/special_function.sv computes.
//
// Table and polynomial (function_tables.h): 128 segments, quadratic, coefficients with 28 fraction bits, products
// truncated towards minus infinity, the result rounded half up once. At most 2 ulp; the sweep of tests/numerics
// measures 0.71 (exp), 0.63 (log) and 0.76 (reciprocal). Subnormal operands and results are zeros of their sign, every
// NaN is 0x7FC00000.
// tanh, erf and rsqrt have their place here: a page of the table, and a function beside these.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/numerics/fp32.h"
#include "sim/numerics/function_tables.h"

namespace heddle::numerics {

namespace function_detail {

inline constexpr uint32_t kInf = kInfinity;
inline constexpr uint64_t kLog2E = 3098164009;  // log2(e) in units of 2^-31
inline constexpr int64_t kLn2 = 2977044472;     // ln(2) in units of 2^-32

/// The segment's quadratic at u (20 bits across the segment), in units of 2^-28.
inline int32_t quadratic(const Quadratic& c, uint32_t u) {
  const int32_t slope = c.c1 + static_cast<int32_t>((static_cast<int64_t>(c.c2) * (u >> 6)) >> 14);
  return c.c0 + static_cast<int32_t>((static_cast<int64_t>(slope) * u) >> 20);
}

}  // namespace function_detail

/// exp(x) of fp32 bits. x log2(e) = k + f with f in [0, 1) in units of 2^-27; the table gives 2^f.
inline uint32_t exp_fp32(uint32_t x) {
  using namespace function_detail;
  const uint32_t exponent = (x >> 23) & 0xFF;
  const bool negative = (x & kSign) != 0;
  if (exponent == 255 && (x & 0x7FFFFF) != 0) return kNan;
  if (exponent > 133) return negative ? 0 : kInf;  // |x| >= 128
  const uint64_t product = exponent == 0 ? 0 : ((x & 0x7FFFFF) | 0x800000) * kLog2E;
  const uint32_t shift = 154 - exponent;  // 21 at exponent 133
  const int64_t magnitude = shift < 64 ? static_cast<int64_t>(product >> shift) : 0;
  const int64_t t = negative ? ~magnitude : magnitude;  // one unit of 2^-27 below -magnitude
  const int32_t k = static_cast<int32_t>(t >> 27);
  const uint32_t f = static_cast<uint32_t>(t) & 0x7FFFFFF;
  if (k >= 128) return kInf;
  if (k < -127) return 0;
  const int32_t y = quadratic(kExpTable[f >> 20], f & 0xFFFFF);
  const uint32_t bits = (static_cast<uint32_t>(k + 127) << 23) + static_cast<uint32_t>((y + 16) >> 5) - 0x800000;
  return bits < 0x800000 ? 0 : bits;
}

/// log(x) of fp32 bits. x = 2^e m with m in [3/4, 3/2), log(x) = e ln(2) + (m - 1) g(m); the table gives g, so that
/// the result keeps its relative precision near x = 1. The sum is exact in units of 2^-51.
inline uint32_t log_fp32(uint32_t x) {
  using namespace function_detail;
  const uint32_t exponent = (x >> 23) & 0xFF;
  const uint32_t fraction = x & 0x7FFFFF;
  if (exponent == 255 && fraction != 0) return kNan;
  if (exponent == 0) return kSign | kInf;
  if ((x & kSign) != 0) return kNan;
  if (exponent == 255) return kInf;
  const bool upper = fraction >= 0x400000;  // m = (1 + fraction) / 2
  const int64_t e = static_cast<int64_t>(exponent) - (upper ? 126 : 127);
  const int64_t d = upper ? static_cast<int64_t>(fraction) - 0x800000 : static_cast<int64_t>(fraction) << 1;
  const int32_t g = quadratic(kLogTable[fraction >> 16], (fraction & 0xFFFF) << 4);
  const int64_t sum = (e * kLn2) * (int64_t{1} << 19) + d * (g >> 1);
  if (sum == 0) return 0;
  const uint64_t magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
  const int top = 63 - std::countl_zero(magnitude);  // at least 24
  const uint32_t mantissa = static_cast<uint32_t>(((magnitude >> (top - 24)) + 1) >> 1);
  const uint32_t bits = (static_cast<uint32_t>(top - 51 + 127) << 23) + mantissa - 0x800000;
  return (sum < 0 ? kSign : 0) | bits;
}

/// 1/x of fp32 bits. The table gives 1/m of the significand m in [1, 2).
inline uint32_t reciprocal_fp32(uint32_t x) {
  using namespace function_detail;
  const uint32_t exponent = (x >> 23) & 0xFF;
  const uint32_t fraction = x & 0x7FFFFF;
  const uint32_t sign = x & kSign;
  if (exponent == 255) return fraction != 0 ? kNan : sign;
  if (exponent == 0) return sign | kInf;
  if (exponent == 254) return sign;  // below 2^-126 after rounding
  const int32_t y = quadratic(kReciprocalTable[fraction >> 16], (fraction & 0xFFFF) << 4);
  const uint32_t bits = ((253 - exponent) << 23) + static_cast<uint32_t>((y + 8) >> 4) - 0x800000;
  return sign | (bits < 0x800000 ? 0 : bits);
}

}  // namespace heddle::numerics
