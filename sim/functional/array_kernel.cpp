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

#ifdef __AVX2__

// 2^(15 - distance) in each lane, 0 from distance 16 on: two table look-ups, one for each byte of the result.
inline __m256i power_of_two(__m256i distance) {
  const __m256i low_bytes =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, -128, 64, 32, 16, 8, 4, 2, 1));
  const __m256i high_bytes =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(-128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0));
  // An index with its top bit set gives 0.
  const __m256i index = _mm256_adds_epu8(distance, _mm256_set1_epi16(0x70));
  const __m256i low = _mm256_shuffle_epi8(low_bytes, _mm256_or_si256(index, _mm256_set1_epi16(-32768)));
  const __m256i high =
      _mm256_shuffle_epi8(high_bytes, _mm256_or_si256(_mm256_slli_epi16(index, 8), _mm256_set1_epi16(0x80)));
  return _mm256_or_si256(low, high);
}

// rne(sig * 2^(7 - (E - e))) with its sign: sig * 2^8 times 2^(15 - (E - e)) has the integer in its upper half.
inline __m256i aligned_mantissas(__m256i bf16, __m256i largest) {
  const __m256i exponent = _mm256_and_si256(_mm256_srli_epi16(bf16, 7), _mm256_set1_epi16(0xFF));
  const __m256i is_zero = _mm256_cmpeq_epi16(exponent, _mm256_setzero_si256());
  const __m256i hidden = _mm256_or_si256(_mm256_slli_epi16(bf16, 8), _mm256_set1_epi16(-32768));
  const __m256i significand = _mm256_andnot_si256(is_zero, hidden);
  const __m256i power = power_of_two(_mm256_sub_epi16(largest, exponent));
  const __m256i whole = _mm256_mulhi_epu16(significand, power);
  const __m256i rest = _mm256_mullo_epi16(significand, power);
  const __m256i odd = _mm256_and_si256(whole, _mm256_set1_epi16(1));
  const __m256i half = _mm256_set1_epi16(-32768);
  // Up if rest > half, or rest = half and whole is odd. The XOR turns the unsigned comparison into a signed one.
  const __m256i up = _mm256_cmpgt_epi16(_mm256_xor_si256(_mm256_adds_epu16(rest, odd), half), _mm256_setzero_si256());
  return _mm256_sign_epi16(_mm256_sub_epi16(whole, up), _mm256_or_si256(bf16, _mm256_set1_epi16(1)));
}

// As numerics::to_block. Returns the block's exponent.
inline std::int32_t convert_block(const Bf16Row& row, std::int16_t* out) {
  const __m256i first = _mm256_load_si256(reinterpret_cast<const __m256i*>(row.lane));
  const __m256i second = _mm256_load_si256(reinterpret_cast<const __m256i*>(row.lane + 16));
  const __m256i mask = _mm256_set1_epi16(0x7F80);
  const __m256i larger = _mm256_max_epu16(_mm256_and_si256(first, mask), _mm256_and_si256(second, mask));
  const __m128i eight = _mm_max_epu16(_mm256_castsi256_si128(larger), _mm256_extracti128_si256(larger, 1));
  const __m128i ones = _mm_set1_epi16(-1);
  const int inverted = _mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(eight, ones)), 0);
  const std::int32_t exponent = (inverted ^ 0xFFFF) >> 7;
  const __m256i largest = _mm256_set1_epi16(static_cast<std::int16_t>(exponent));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), aligned_mantissas(first, largest));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 16), aligned_mantissas(second, largest));
  return exponent;
}

// The eight products' exact sums, times the scales, rounded to fp32.
//
// `low` is the sum modulo 2^32, `high` the sum of the pairs' upper 16 bits. What the upper halves left out is at least
// 0 and below 2^20, so it is low - 2^16 * high modulo 2^32.
inline __m256 block_results(__m256i low, __m256i high, __m256d row_scale, const TileStrip& strip) {
  const __m256i rest = _mm256_sub_epi32(low, _mm256_slli_epi32(high, 16));
  const __m256d weight = _mm256_set1_pd(65536.0);
  const auto half = [&](__m128i r, __m128i h, const double* column_scale) {
    const __m256d sum = _mm256_fmadd_pd(_mm256_cvtepi32_pd(h), weight, _mm256_cvtepi32_pd(r));
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_mul_pd(sum, row_scale), _mm256_load_pd(column_scale)));
  };
  const __m128 first = half(_mm256_castsi256_si128(rest), _mm256_castsi256_si128(high), strip.scale);
  const __m128 second = half(_mm256_extracti128_si256(rest, 1), _mm256_extracti128_si256(high, 1), strip.scale + 4);
  return _mm256_set_m128(second, first);
}

// A pair of products fits 32 bits (2 * 32640^2 < 2^31), their sum does not: it is kept twice, see block_results.
template <int kRows>
void accumulate_rows(const StreamedRows& rows, std::size_t first, const TileStrip& strip, bool first_block,
                     float* accumulator) {
  __m256i low[kRows];
  __m256i high[kRows];
  for (int r = 0; r < kRows; ++r) low[r] = high[r] = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const __m256i b = _mm256_load_si256(reinterpret_cast<const __m256i*>(strip.mantissa[pair]));
    for (int r = 0; r < kRows; ++r) {
      std::int32_t both;
      std::memcpy(&both, &rows.mantissa[first + r].k[2 * pair], sizeof both);
      const __m256i products = _mm256_madd_epi16(_mm256_set1_epi32(both), b);
      low[r] = _mm256_add_epi32(low[r], products);
      high[r] = _mm256_add_epi32(high[r], _mm256_srai_epi32(products, 16));
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

inline std::int32_t convert_block(const Bf16Row& row, std::int16_t* out) {
  const numerics::Block block = numerics::to_block(row.lane);
  std::copy(block.mantissa.begin(), block.mantissa.end(), out);
  return block.exponent;
}

template <int kRows>
void accumulate_rows(const StreamedRows& rows, std::size_t first, const TileStrip& strip, bool first_block,
                     float* accumulator) {
  for (std::size_t row = first; row < first + kRows; ++row) {
    std::int64_t sum[kStripColumns] = {};
    for (std::size_t pair = 0; pair < kPairs; ++pair)
      for (std::size_t c = 0; c < kStripColumns; ++c)
        for (std::size_t k = 0; k < 2; ++k) sum[c] += rows.mantissa[row].k[2 * pair + k] * strip.mantissa[pair][c][k];
    float* place = accumulator + row * kLanes;
    for (std::size_t c = 0; c < kStripColumns; ++c) {
      const auto result = static_cast<float>(static_cast<double>(sum[c]) * rows.scale[row] * strip.scale[c]);
      const float total = (first_block ? 0.0F : place[c]) + result;
      place[c] = total != total ? std::bit_cast<float>(numerics::kNan) : total;
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
  std::int32_t pairs[kStripColumns][kPairs];
  for (std::size_t c = 0; c < kStripColumns; ++c) {
    std::int16_t mantissa[kLanes];
    out.scale[c] = block_scale(convert_block(columns[c], mantissa));
    std::memcpy(pairs[c], mantissa, sizeof mantissa);
  }
  for (std::size_t pair = 0; pair < kPairs; ++pair)
    for (std::size_t c = 0; c < kStripColumns; ++c) std::memcpy(out.mantissa[pair][c], &pairs[c][pair], 4);
}

void accumulate_block(const StreamedRows& rows, std::size_t count, const TileStrip& strip, bool first_block,
                      float* accumulator) {
  std::size_t row = 0;
  for (; row + 4 <= count; row += 4) accumulate_rows<4>(rows, row, strip, first_block, accumulator);
  for (; row < count; ++row) accumulate_rows<1>(rows, row, strip, first_block, accumulator);
}

}  // namespace heddle::sim
