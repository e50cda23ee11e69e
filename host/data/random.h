// Random numbers by counter: value i of stream s of seed k is one function of (k, s, i), so that results never depend
// on the order in which they are drawn, on the machine, or on the standard library.
//
// The function is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): the state of
// stream s is mix(mix(k) + s), and value i is mix(state + (i + 1) * 0x9E3779B97F4A7C15).
#pragma once

#include <cstdint>

namespace heddle {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix(mix(seed) + stream)) {}

  std::uint64_t at(std::uint64_t index) const { return mix(state_ + (index + 1) * 0x9E3779B97F4A7C15U); }
  std::uint64_t next() { return at(index_++); }

  // Uniform in [0, limit), limit > 0: the high half of the product (bias below 2^-32 for limits below 2^32).
  std::uint64_t below(std::uint64_t limit) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * limit) >> 64);
  }
  // Uniform in [0, 1): 24 bits, exact in fp32.
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-24F; }

 private:
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
  std::uint64_t index_ = 0;
};

}  // namespace heddle
