// fp32 as docs/design.md section 2 has it, written with the host's own arithmetic: independent of sim/numerics.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace heddle::test {

inline float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint32_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// Subnormals become zero of their sign, every NaN the one NaN.
inline float canonical(float value) {
  if (std::isnan(value)) return as_float(0x7FC00000U);
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

inline std::uint32_t add(std::uint32_t a, std::uint32_t b) {
  return as_bits(canonical(canonical(as_float(a)) + canonical(as_float(b))));
}

// Bit patterns that find rounding, cancellation and special-value faults far sooner than uniform bits.
class HardFloats {
 public:
  explicit HardFloats(std::uint64_t seed) : random_(seed) {}

  std::uint32_t operator()() {
    const auto bits = static_cast<std::uint32_t>(random_());
    switch (random_() % 8) {
      case 0:
        return bits;  // anything
      case 1:
        return (bits & 0x807FFFFFU) | exponent(120 + random_() % 16);  // similar magnitudes
      case 2:
        return (bits & 0x80000007U) | exponent(100 + random_() % 56);  // few low bits: ties
      case 3:
        return (bits & 0x80000000U) | 0x007FFFF0U | exponent(random_() % 256) | (bits & 15U);  // carries
      case 4:
        return (bits & 0x807FFFFFU) | exponent(random_() % 3);  // subnormal and just above
      case 5:
        return (bits & 0x807FFFFFU) | exponent(253 + random_() % 3);  // large, Inf and NaN
      case 6:
        return (bits & 0x80000000U) | exponent(random_() % 256);  // powers of two, zeros, Inf
      default:
        return last_ = (last_ ^ (bits & 0x80000003U)) + (bits >> 28);  // close to the last one
    }
  }

 private:
  static std::uint32_t exponent(std::uint64_t e) { return static_cast<std::uint32_t>(e) << 23; }
  std::mt19937_64 random_;
  std::uint32_t last_ = 0x3F800000U;
};

}  // namespace heddle::test
