#include "sim/functional/transpose.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace heddle::sim {
namespace {

#ifdef __SSE2__
// 8 x 8 of 16 bits: interleaves elements, then pairs, then fours.
void transpose_8x8(const __m128i (&in)[8], __m128i (&out)[8]) {
  __m128i pairs[8];
  __m128i fours[8];
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = _mm_unpacklo_epi16(in[2 * i], in[2 * i + 1]);
    pairs[2 * i + 1] = _mm_unpackhi_epi16(in[2 * i], in[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    fours[4 * i] = _mm_unpacklo_epi32(pairs[4 * i], pairs[4 * i + 2]);
    fours[4 * i + 1] = _mm_unpackhi_epi32(pairs[4 * i], pairs[4 * i + 2]);
    fours[4 * i + 2] = _mm_unpacklo_epi32(pairs[4 * i + 1], pairs[4 * i + 3]);
    fours[4 * i + 3] = _mm_unpackhi_epi32(pairs[4 * i + 1], pairs[4 * i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    out[2 * i] = _mm_unpacklo_epi64(fours[i], fours[i + 4]);
    out[2 * i + 1] = _mm_unpackhi_epi64(fours[i], fours[i + 4]);
  }
}
#endif

}  // namespace

void transpose_block(const UnifiedBuffer& buffer, std::size_t base, std::size_t stride, std::uint32_t valid,
                     Bf16Row* out) {
#ifdef __SSE2__
  for (std::uint32_t t = 0; t < kLanes; t += 8) {
    for (std::uint32_t l = 0; l < kLanes; l += 8) {
      __m128i in[8];
      __m128i turned[8];
      for (std::uint32_t i = 0; i < 8; ++i) {
        in[i] = t + i < valid
                    ? _mm_load_si128(reinterpret_cast<const __m128i*>(&buffer.line(base + (t + i) * stride).lane[l]))
                    : _mm_setzero_si128();
      }
      transpose_8x8(in, turned);
      for (std::uint32_t i = 0; i < 8; ++i) _mm_store_si128(reinterpret_cast<__m128i*>(&out[l + i].lane[t]), turned[i]);
    }
  }
#else
  for (std::uint32_t t = 0; t < kLanes; ++t)
    for (std::uint32_t l = 0; l < kLanes; ++l)
      out[l].lane[t] = t < valid ? buffer.line(base + t * stride).lane[l] : std::uint16_t{0};
#endif
}

}  // namespace heddle::sim
