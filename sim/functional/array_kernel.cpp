#include "sim/functional/array_kernel.h"

#include <algorithm>
#include <bit>
#include <limits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "sim/numerics/block.h"
#include "sim/numerics/fp32.h"

namespace heddle::sim {
namespace {

// 2^(exponent - 141) makes rne(S * Sa * Sb) of docs/design.md, section 2: 2 * 141 = 282.
double block_scale(std::int32_t exponent) {
  if (exponent == numerics::kPoison) return std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent - 141 + 1023) << 52);
}

// As numerics::to_block, in a form that vectorises. Returns the block's exponent.
inline std::int32_t convert_block(const Bf16Row& row, std::int16_t* __restrict out) {
  std::uint16_t largest = 0;
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    const auto magnitude = static_cast<std::uint16_t>(row.lane[k] & 0x7F80U);
    largest = std::max(largest, magnitude);
  }
  const std::int32_t exponent = largest >> 7;
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    const std::int32_t x = row.lane[k];
    const std::int32_t e = (x >> 7) & 0xFF;
    const std::int32_t doubled = e == 0 ? 0 : ((x & 0x7F) | 0x80) << 8;
    const std::int32_t shift = std::min(exponent - e, 20);
    const std::int32_t odd = (doubled >> (shift + 1)) & 1;
    const std::int32_t magnitude = (doubled + (1 << shift) - 1 + odd) >> (shift + 1);
    const std::int32_t sign = -(x >> 15);
    out[k] = static_cast<std::int16_t>((magnitude ^ sign) - sign);
  }
  return exponent;
}

#ifdef __AVX2__

// The eight products' exact sums, times the scales, rounded to fp32.
inline __m256 block_results(__m256i low, __m256i high, __m256d row_scale, const TileStrip& strip) {
  const __m256d weight = _mm256_set1_pd(256.0);
  const auto half = [&](__m128i l, __m128i h, const double* column_scale) {
    const __m256d sum = _mm256_fmadd_pd(_mm256_cvtepi32_pd(h), weight, _mm256_cvtepi32_pd(l));
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_mul_pd(sum, row_scale), _mm256_load_pd(column_scale)));
  };
  const __m128 first = half(_mm256_castsi256_si128(low), _mm256_castsi256_si128(high), strip.scale);
  const __m128 second = half(_mm256_extracti128_si256(low, 1), _mm256_extracti128_si256(high, 1), strip.scale + 4);
  return _mm256_set_m128(second, first);
}

template <int kRows>
void accumulate_rows(const StreamedRows& rows, std::size_t first, const TileStrip& strip, bool first_block,
                     float* accumulator) {
  __m256i low[kRows];
  __m256i high[kRows];
  for (int r = 0; r < kRows; ++r) low[r] = high[r] = _mm256_setzero_si256();
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const __m256i l = _mm256_load_si256(reinterpret_cast<const __m256i*>(strip.low[pair]));
    const __m256i h = _mm256_load_si256(reinterpret_cast<const __m256i*>(strip.high[pair]));
    for (int r = 0; r < kRows; ++r) {
      std::int32_t both;
      std::memcpy(&both, &rows.mantissa[first + r].k[2 * pair], sizeof both);
      const __m256i a = _mm256_set1_epi32(both);
      low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(a, l));
      high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(a, h));
    }
  }
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(numerics::kNan));
  for (int r = 0; r < kRows; ++r) {
    float* place = accumulator + (first + r) * kLanes;
    const __m256 result = block_results(low[r], high[r], _mm256_set1_pd(rows.scale[first + r]), strip);
    const __m256 before = first_block ? _mm256_setzero_ps() : _mm256_load_ps(place);
    const __m256 sum = _mm256_add_ps(before, result);
    _mm256_store_ps(place, _mm256_blendv_ps(sum, nan, _mm256_cmp_ps(sum, sum, _CMP_UNORD_Q)));
  }
}

#else

template <int kRows>
void accumulate_rows(const StreamedRows& rows, std::size_t first, const TileStrip& strip, bool first_block,
                     float* accumulator) {
  for (std::size_t row = first; row < first + kRows; ++row) {
    std::int32_t low[kStripColumns] = {};
    std::int32_t high[kStripColumns] = {};
    for (std::size_t pair = 0; pair < kPairs; ++pair)
      for (std::size_t c = 0; c < kStripColumns; ++c)
        for (std::size_t k = 0; k < 2; ++k) {
          low[c] += rows.mantissa[row].k[2 * pair + k] * strip.low[pair][c][k];
          high[c] += rows.mantissa[row].k[2 * pair + k] * strip.high[pair][c][k];
        }
    float* place = accumulator + row * kLanes;
    for (std::size_t c = 0; c < kStripColumns; ++c) {
      const double exact = high[c] * 256.0 + low[c];
      const auto result = static_cast<float>(exact * rows.scale[row] * strip.scale[c]);
      const float sum = (first_block ? 0.0F : place[c]) + result;
      place[c] = sum != sum ? std::bit_cast<float>(numerics::kNan) : sum;
    }
  }
}

#endif

}  // namespace

void convert_rows(const Bf16Row* rows, std::size_t count, StreamedRows& out) {
  out.resize(count);
  for (std::size_t i = 0; i < count; ++i) out.scale[i] = block_scale(convert_block(rows[i], out.mantissa[i].k));
}

void convert_strip(const Bf16Row* columns, TileStrip& out) {
  for (std::size_t c = 0; c < kStripColumns; ++c) {
    std::int16_t mantissa[kLanes];
    out.scale[c] = block_scale(convert_block(columns[c], mantissa));
    for (std::size_t k = 0; k < kLanes; ++k) {
      out.low[k / 2][c][k % 2] = static_cast<std::int16_t>(mantissa[k] & 0xFF);
      out.high[k / 2][c][k % 2] = static_cast<std::int16_t>(mantissa[k] >> 8);
    }
  }
}

void accumulate_block(const StreamedRows& rows, std::size_t count, const TileStrip& strip, bool first_block,
                      float* accumulator) {
  std::size_t row = 0;
  for (; row + 4 <= count; row += 4) accumulate_rows<4>(rows, row, strip, first_block, accumulator);
  for (; row < count; ++row) accumulate_rows<1>(rows, row, strip, first_block, accumulator);
}

}  // namespace heddle::sim
