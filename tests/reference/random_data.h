// Random and adversarial numbers for tests: what finds width, rounding and special-value bugs.
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace heddle::plain {

enum class Data {
  ordinary,     // about normal, spread over a few binades
  wide,         // any exponent
  saturating,   // the largest mantissas at one exponent
  alternating,  // the same with alternating sign
  subnormal,    // subnormals, zeros of both signs, the smallest normals
  special,      // ordinary with an Inf or NaN here and there
  one_hot,      // zeros but for one element
  whole,        // 0 to 31: class labels
  bits,         // anything at all
};
inline constexpr int kDataKinds = 9;

using Random = std::mt19937_64;

// Uniform in [low, high], both included.
inline std::uint32_t pick(Random& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random() % (std::uint64_t{high} - low + 1));
}
inline bool chance(Random& random, unsigned percent) { return random() % 100 < percent; }

// One fp32 number of a kind; `index` is its position (for alternating signs and the one hot element).
std::uint32_t random_fp32(Random& random, Data kind, std::size_t index);

void fill_bf16(Random& random, Data kind, std::span<std::uint16_t> out);
void fill_fp32(Random& random, Data kind, std::span<std::uint32_t> out);

Data random_kind(Random& random);  // specials are rare: they spread

}  // namespace heddle::plain
