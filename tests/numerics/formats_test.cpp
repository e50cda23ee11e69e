// fp32, bf16 and block arithmetic of sim/numerics against the plain reference.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "sim/numerics/bf16.h"
#include "sim/numerics/block.h"
#include "sim/numerics/fp32.h"
#include "tests/reference/arithmetic.h"
#include "tests/reference/random_data.h"

namespace heddle {
namespace {

constexpr std::uint32_t kOne = 0x3F800000;
constexpr std::uint32_t kInf = 0x7F800000;
constexpr std::uint32_t kNan = 0x7FC00000;
constexpr std::uint32_t kMinusZero = 0x80000000;
constexpr std::uint32_t kSmallestNormal = 0x00800000;

// Every pair of these, and many random ones.
std::vector<std::uint32_t> interesting() {
  std::vector<std::uint32_t> result;
  for (std::uint32_t exponent :
       {0u, 1u, 2u, 23u, 24u, 25u, 63u, 64u, 101u, 126u, 127u, 128u, 150u, 151u, 253u, 254u, 255u})
    for (std::uint32_t fraction : {0u, 1u, 2u, 0x3FFFFFu, 0x400000u, 0x400001u, 0x7FFFFEu, 0x7FFFFFu})
      for (std::uint32_t sign : {0u, 1u}) result.push_back(sign << 31 | exponent << 23 | fraction);
  return result;
}

template <typename F>
void for_many_pairs(F check) {
  for (std::uint32_t a : interesting())
    for (std::uint32_t b : interesting()) check(a, b);
  plain::Random random(7);
  for (int i = 0; i < 200000; ++i) {
    const auto a = plain::random_fp32(random, plain::random_kind(random), i);
    auto b = plain::random_fp32(random, plain::random_kind(random), i);
    if (plain::chance(random, 20)) b = a ^ static_cast<std::uint32_t>(random() & 0x80000007);  // cancels
    check(a, b);
  }
}

TEST(Fp32, AddsAndMultipliesAsThePlainReference) {
  for_many_pairs([](std::uint32_t a, std::uint32_t b) {
    ASSERT_EQ(numerics::add(a, b), plain::add(a, b)) << std::hex << a << " + " << b;
    ASSERT_EQ(numerics::subtract(a, b), plain::subtract(a, b)) << std::hex << a << " - " << b;
    ASSERT_EQ(numerics::multiply(a, b), plain::multiply(a, b)) << std::hex << a << " * " << b;
  });
}

TEST(Fp32, ComparesAsThePlainReference) {
  for_many_pairs([](std::uint32_t a, std::uint32_t b) {
    ASSERT_EQ(numerics::max(a, b), plain::maximum(a, b)) << std::hex << a << " max " << b;
    ASSERT_EQ(numerics::greater(a, b), plain::is_greater(a, b)) << std::hex << a << " > " << b;
    ASSERT_EQ(numerics::equal(a, b), plain::is_equal(a, b)) << std::hex << a << " == " << b;
    ASSERT_EQ(numerics::relu(a), plain::relu(a)) << std::hex << a;
  });
}

TEST(Fp32, FlushesAfterRoundingTo24Bits) {
  // 2^-63 * 2^-63 is the smallest normal number; the factors' fractions move it across the border.
  const std::uint32_t root = (127 - 63) << 23;
  EXPECT_EQ(numerics::multiply(root, root), kSmallestNormal);
  EXPECT_EQ(numerics::multiply(root - 1, root), 0u);                         // 1 - 2^-24, exact in 24 bits: below
  EXPECT_EQ(numerics::round_to_fp32(0x1p-126 - 0x1p-151), kSmallestNormal);  // the tie goes to the even one
  EXPECT_EQ(numerics::round_to_fp32(0x1p-126 - 0x1.8p-151), 0u);
  EXPECT_EQ(numerics::round_to_fp32(-0x1p-130), kMinusZero);
}

TEST(Fp32, KeepsTheSignsOfZeros) {
  EXPECT_EQ(numerics::add(0, kMinusZero), 0u);
  EXPECT_EQ(numerics::add(kMinusZero, kMinusZero), kMinusZero);
  EXPECT_EQ(numerics::max(0, kMinusZero), 0u);
  EXPECT_EQ(numerics::max(kMinusZero, kMinusZero), kMinusZero);
  EXPECT_EQ(numerics::relu(kMinusZero), 0u);
  EXPECT_EQ(numerics::add(0x00000001, 0x80000001), 0u);  // subnormals are zeros of their sign
}

TEST(Fp32, HasOneNan) {
  for (std::uint32_t nan : {0x7F800001u, 0xFFFFFFFFu, 0x7FC00000u}) {
    EXPECT_EQ(numerics::add(nan, kOne), kNan);
    EXPECT_EQ(numerics::multiply(kOne, nan), kNan);
    EXPECT_EQ(numerics::max(nan, kInf), kNan);
    EXPECT_EQ(numerics::canonical(nan), kNan);
  }
  EXPECT_EQ(numerics::subtract(kInf, kInf), kNan);
  EXPECT_EQ(numerics::multiply(kInf, 0), kNan);
}

TEST(Bf16, RoundsAllNumbersAsThePlainReference) {
  for (std::uint32_t upper = 0; upper <= 0xFFFF; ++upper) {
    ASSERT_EQ(numerics::from_bf16(static_cast<std::uint16_t>(upper)),
              plain::read_bf16(static_cast<std::uint16_t>(upper)));
    for (std::uint32_t lower : {0u, 1u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
      ASSERT_EQ(numerics::to_bf16(upper << 16 | lower), plain::to_bf16(upper << 16 | lower))
          << std::hex << upper << lower;
  }
}

TEST(Block, MultipliesAsThePlainReference) {
  plain::Random random(11);
  for (int i = 0; i < 20000; ++i) {
    std::array<std::uint16_t, 32> a;
    std::array<std::uint16_t, 32> b;
    plain::fill_bf16(random, plain::random_kind(random), a);
    plain::fill_bf16(random, plain::random_kind(random), b);
    const numerics::Block x = numerics::to_block(a);
    const numerics::Block y = numerics::to_block(b);
    ASSERT_EQ(numerics::block_result(numerics::dot(x, y), x.exponent, y.exponent), plain::block_result(a, b)) << i;
  }
}

TEST(Block, RoundsMantissasToNearestEven) {
  std::array<std::uint16_t, 32> row{};
  row[0] = 0x4380;  // 256
  row[1] = 0x3F80;  // 1: eight binades down, 128 * 2^-1
  row[2] = 0x3F81;  // 129 * 2^-1 = 64.5, to even
  row[3] = 0xBF83;  // -131 * 2^-1 = -65.5, to even
  row[4] = 0x3C00;  // 2^-7, fifteen binades down: a half, to even
  row[5] = 0x3C01;  // just above
  row[6] = 0x3B81;  // sixteen binades down: nothing
  const numerics::Block block = numerics::to_block(row);
  EXPECT_EQ(block.exponent, 0x87);
  const std::array<std::int16_t, 7> expected = {16384, 64, 64, -66, 0, 1, 0};
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(block.mantissa[k], expected[k]) << k;
}

TEST(Block, InfinityAndNanPoison) {
  std::array<std::uint16_t, 32> row{};
  const numerics::Block zeros = numerics::to_block(row);
  for (std::uint16_t special : {0x7F80, 0xFF80, 0x7FC0, 0x7F81}) {
    row[17] = special;
    const numerics::Block block = numerics::to_block(row);
    EXPECT_EQ(block.exponent, numerics::kPoison);
    EXPECT_EQ(numerics::block_result(0, block.exponent, zeros.exponent), kNan);
  }
}

}  // namespace
}  // namespace heddle
