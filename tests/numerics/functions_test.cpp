// exp, log and reciprocal against libm in double precision: at most 2 ulp everywhere, and the special cases.
#include "sim/numerics/functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace heddle::numerics {
namespace {

constexpr uint32_t kNan = 0x7FC00000, kInf = 0x7F800000, kMinusInf = 0xFF800000, kMinusZero = 0x80000000;
constexpr double kSmallest = 0x1p-126;

using Function = uint32_t (*)(uint32_t);
using Reference = double (*)(double);

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

/// The distance of a result from the exact value in ulps of the exact value. A result that flushes or overflows
/// may do so within 2 ulp of the border.
double error_in_ulp(uint32_t result, double exact) {
  const double value = std::bit_cast<float>(result);
  const double magnitude = std::fabs(exact);
  if (value == 0.0) return magnitude < kSmallest * (1 + 0x1p-22) ? 0.0 : 1e9;
  if (std::isinf(value)) return magnitude > 0x1.fffffcp127 && std::signbit(value) == std::signbit(exact) ? 0.0 : 1e9;
  const int exponent = std::max(std::ilogb(magnitude), -126);
  return std::fabs(value - exact) / std::ldexp(1.0, exponent - 23);
}

struct Worst {
  double ulp = 0;
  uint32_t at = 0;
  void take(Function f, Reference reference, uint32_t x) {
    const double error = error_in_ulp(f(x), reference(std::bit_cast<float>(x)));
    if (!(error <= ulp)) ulp = error, at = x;
  }
};

/// All exponents: both ends of every binade and a stride that visits every table segment.
Worst sweep(Function f, Reference reference, bool negative_too) {
  Worst worst;
  for (uint32_t sign = 0; sign <= (negative_too ? 1u : 0u); ++sign) {
    for (uint32_t exponent = 1; exponent < 255; ++exponent) {
      const uint32_t base = (sign << 31) | (exponent << 23);
      for (uint32_t fraction = 0; fraction < 0x800000; fraction += 1021) worst.take(f, reference, base | fraction);
      for (uint32_t i = 0; i < 64; ++i) {
        worst.take(f, reference, base | i);
        worst.take(f, reference, base | (0x7FFFFF - i));
      }
      // Both sides of every segment border.
      for (uint32_t s = 1; s < 128; ++s) {
        worst.take(f, reference, base | (s << 16));
        worst.take(f, reference, base | ((s << 16) - 1));
      }
    }
  }
  return worst;
}

Worst whole_binade(Function f, Reference reference, uint32_t sign_and_exponent) {
  Worst worst;
  for (uint32_t fraction = 0; fraction < 0x800000; ++fraction) {
    worst.take(f, reference, (sign_and_exponent << 23) | fraction);
  }
  return worst;
}

double reciprocal(double x) { return 1.0 / x; }
double exp_double(double x) { return std::exp(x); }
double log_double(double x) { return std::log(x); }

TEST(Functions, ExpIsWithinTwoUlpEverywhere) {
  const Worst worst = sweep(exp_fp32, exp_double, true);
  RecordProperty("ulp", std::to_string(worst.ulp));
  EXPECT_LE(worst.ulp, 2.0) << std::hex << worst.at;
  for (const uint32_t exponent : {126u, 133u, 256u + 126u, 256u + 133u}) {
    const Worst binade = whole_binade(exp_fp32, exp_double, exponent);
    EXPECT_LE(binade.ulp, 2.0) << std::hex << binade.at;
  }
}

TEST(Functions, LogIsWithinTwoUlpEverywhere) {
  const Worst worst = sweep(log_fp32, log_double, false);
  RecordProperty("ulp", std::to_string(worst.ulp));
  EXPECT_LE(worst.ulp, 2.0) << std::hex << worst.at;
  for (const uint32_t exponent : {126u, 127u}) {  // around 1, where the result cancels
    const Worst binade = whole_binade(log_fp32, log_double, exponent);
    EXPECT_LE(binade.ulp, 2.0) << std::hex << binade.at;
  }
}

TEST(Functions, ReciprocalIsWithinTwoUlpEverywhere) {
  const Worst worst = sweep(reciprocal_fp32, reciprocal, true);
  RecordProperty("ulp", std::to_string(worst.ulp));
  EXPECT_LE(worst.ulp, 2.0) << std::hex << worst.at;
  for (const uint32_t exponent : {127u, 253u}) {  // 253: the last binade that is not flushed
    const Worst binade = whole_binade(reciprocal_fp32, reciprocal, exponent);
    EXPECT_LE(binade.ulp, 2.0) << std::hex << binade.at;
  }
}

TEST(Functions, SpecialCasesOfExp) {
  EXPECT_EQ(exp_fp32(kInf), kInf);
  EXPECT_EQ(exp_fp32(kMinusInf), 0u);
  EXPECT_EQ(exp_fp32(0), bits(1.0f));
  EXPECT_EQ(exp_fp32(kMinusZero), bits(1.0f));
  EXPECT_EQ(exp_fp32(0x007FFFFF), bits(1.0f));
  EXPECT_EQ(exp_fp32(0x807FFFFF), bits(1.0f));
  EXPECT_EQ(exp_fp32(bits(89.0f)), kInf);
  EXPECT_EQ(exp_fp32(bits(-104.0f)), 0u);
  EXPECT_EQ(exp_fp32(bits(3e38f)), kInf);
  EXPECT_EQ(exp_fp32(bits(-3e38f)), 0u);
}

TEST(Functions, SpecialCasesOfLog) {
  EXPECT_EQ(log_fp32(kInf), kInf);
  EXPECT_EQ(log_fp32(kMinusInf), kNan);
  EXPECT_EQ(log_fp32(0), kMinusInf);
  EXPECT_EQ(log_fp32(kMinusZero), kMinusInf);
  EXPECT_EQ(log_fp32(0x00000001), kMinusInf);
  EXPECT_EQ(log_fp32(0x807FFFFF), kMinusInf);
  EXPECT_EQ(log_fp32(bits(-1.0f)), kNan);
  EXPECT_EQ(log_fp32(bits(1.0f)), 0u);
}

TEST(Functions, SpecialCasesOfReciprocal) {
  EXPECT_EQ(reciprocal_fp32(0), kInf);
  EXPECT_EQ(reciprocal_fp32(kMinusZero), kMinusInf);
  EXPECT_EQ(reciprocal_fp32(0x807FFFFF), kMinusInf);
  EXPECT_EQ(reciprocal_fp32(kInf), 0u);
  EXPECT_EQ(reciprocal_fp32(kMinusInf), kMinusZero);
  EXPECT_EQ(reciprocal_fp32(bits(0x1p127f)), 0u);
  EXPECT_EQ(reciprocal_fp32(bits(-0x1p127f)), kMinusZero);
}

TEST(Functions, ReciprocalOfPowersOfTwoIsExact) {
  for (int e = -126; e <= 126; ++e) EXPECT_EQ(reciprocal_fp32(bits(std::ldexp(1.0f, e))), bits(std::ldexp(1.0f, -e)));
}

TEST(Functions, EveryNanBecomesTheCanonicalOne) {
  for (const uint32_t nan : {0x7FC00000u, 0x7F800001u, 0xFFC00000u, 0xFFFFFFFFu}) {
    EXPECT_EQ(exp_fp32(nan), kNan);
    EXPECT_EQ(log_fp32(nan), kNan);
    EXPECT_EQ(reciprocal_fp32(nan), kNan);
  }
}

}  // namespace
}  // namespace heddle::numerics
