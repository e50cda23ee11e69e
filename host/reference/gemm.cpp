#include "host/reference/gemm.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::reference {
namespace {

constexpr std::size_t kBlock = 32;
constexpr int kPoisoned = 255;
constexpr std::uint32_t kNan = 0x7FC00000U;
constexpr int kBias = 282;

int exponent_of(std::uint16_t x) { return (x >> 7) & 0xFF; }

// rne(significand * 2^(7 - shift)) with the sign of x; subnormals count as zero.
std::int16_t mantissa_of(std::uint16_t x, int block_exponent) {
  const int exponent = exponent_of(x);
  if (exponent == 0) return 0;
  const int shifted = (128 | (x & 127)) << 7;  // significand * 2^7
  const int shift = block_exponent - exponent;
  if (shift > 15) return 0;
  const int floor = shifted >> shift;
  const int rest = shifted - (floor << shift);
  const int half = shift > 0 ? 1 << (shift - 1) : 1;
  const bool up = shift > 0 && (rest > half || (rest == half && (floor & 1) != 0));
  const int magnitude = floor + (up ? 1 : 0);
  return static_cast<std::int16_t>((x & 0x8000U) != 0 ? -magnitude : magnitude);
}

// Element k of vector v is element(v, k).
template <typename Element>
BlockVectors to_blocks(std::size_t vectors, std::size_t k, Element element) {
  BlockVectors result;
  result.blocks = (k + kBlock - 1) / kBlock;
  result.mantissa.assign(vectors * result.blocks * kBlock, 0);
  result.exponent.assign(vectors * result.blocks, 0);
  for (std::size_t v = 0; v < vectors; ++v)
    for (std::size_t block = 0; block < result.blocks; ++block) {
      const std::size_t first = block * kBlock;
      const std::size_t count = std::min(kBlock, k - first);
      int& exponent = result.exponent[v * result.blocks + block];
      for (std::size_t i = 0; i < count; ++i) exponent = std::max(exponent, exponent_of(element(v, first + i)));
      if (exponent == kPoisoned) continue;
      for (std::size_t i = 0; i < count; ++i)
        result.mantissa[(v * result.blocks + block) * kBlock + i] = mantissa_of(element(v, first + i), exponent);
    }
  return result;
}

// Rounds to 24 significant bits, to nearest even; then flushes what is below the normal range.
float round(double x) {
  if (std::isnan(x)) return std::bit_cast<float>(kNan);
  if (std::fabs(x) < 0x1p-126 - 0x1p-151) return std::signbit(x) ? -0.0F : 0.0F;
  return static_cast<float>(x);
}

// 2^exponent, in the normal range of double: 2 * 254 - 282 at most, -282 at least.
double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52); }

float block_product(const std::int16_t* a, const std::int16_t* b, int exponents) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) sum += std::int32_t{a[i]} * std::int32_t{b[i]};
  if (sum == 0) return 0.0F;
  return round(static_cast<double>(sum) * power_of_two(exponents - kBias));
}

}  // namespace

Gemm::Gemm(const compiler::GemmShape& shape, std::span<const std::uint16_t> a, std::span<const std::uint16_t> b)
    : m_(shape.m), n_(shape.n) {
  a_ = to_blocks(shape.m, shape.k, [&](std::size_t i, std::size_t k) {
    return shape.transpose_a ? a[k * shape.m + i] : a[i * shape.k + k];
  });
  b_ = to_blocks(shape.n, shape.k, [&](std::size_t j, std::size_t k) {
    return shape.transpose_b ? b[j * shape.k + k] : b[k * shape.n + j];
  });
}

std::uint32_t Gemm::at(std::size_t i, std::size_t j) const {
  float sum = 0.0F;
  for (std::size_t block = 0; block < a_.blocks; ++block) {
    const std::size_t x = i * a_.blocks + block;
    const std::size_t y = j * b_.blocks + block;
    const bool poisoned = a_.exponent[x] == kPoisoned || b_.exponent[y] == kPoisoned;
    const float product =
        poisoned ? std::bit_cast<float>(kNan)
                 : block_product(&a_.mantissa[x * kBlock], &b_.mantissa[y * kBlock], a_.exponent[x] + b_.exponent[y]);
    sum = round(static_cast<double>(sum) + static_cast<double>(product));
  }
  return std::bit_cast<std::uint32_t>(sum);
}

std::vector<std::uint32_t> gemm(const compiler::GemmShape& shape, std::span<const std::uint16_t> a,
                                std::span<const std::uint16_t> b) {
  const Gemm product(shape, a, b);
  std::vector<std::uint32_t> c;
  c.reserve(shape.m * shape.n);
  for (std::size_t i = 0; i < shape.m; ++i)
    for (std::size_t j = 0; j < shape.n; ++j) c.push_back(product.at(i, j));
  return c;
}

}  // namespace heddle::reference
