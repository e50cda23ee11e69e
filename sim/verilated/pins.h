// Fields of Verilated ports, whatever type Verilator chose for their width.
#pragma once

#include <verilated.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace heddle::sim {

constexpr std::uint64_t mask(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

// Bits [lsb, lsb + bits) of a port; at most 64.
template <typename T>
std::uint64_t get(const T& port, unsigned lsb, unsigned bits) {
  if constexpr (std::is_integral_v<T>) {
    return (static_cast<std::uint64_t>(port) >> lsb) & mask(bits);
  } else {
    const std::uint32_t* words = port.data();
    const unsigned word = lsb / 32, shift = lsb % 32;
    std::uint64_t value = words[word] >> shift;
    if (bits + shift > 32) {
      value |= static_cast<std::uint64_t>(words[word + 1]) << (32 - shift);
    }
    if (bits + shift > 64) {
      value |= static_cast<std::uint64_t>(words[word + 2]) << (64 - shift);
    }
    return value & mask(bits);
  }
}

template <typename T>
void set(T& port, unsigned lsb, unsigned bits, std::uint64_t value) {
  if constexpr (std::is_integral_v<T>) {
    const std::uint64_t field = mask(bits) << lsb;
    port = static_cast<T>((port & ~field) | ((value << lsb) & field));
  } else {
    std::uint32_t* words = port.data();
    while (bits != 0) {
      const unsigned shift = lsb % 32, part = bits < 32 - shift ? bits : 32 - shift;
      const std::uint32_t field = static_cast<std::uint32_t>(mask(part)) << shift;
      words[lsb / 32] = (words[lsb / 32] & ~field) | ((static_cast<std::uint32_t>(value) << shift) & field);
      lsb += part;
      bits -= part;
      value >>= part % 64;
    }
  }
}

// The words from a multiple of 32 bits on, of a port that is wider than 64 bits.
template <std::size_t Words>
std::uint32_t* words(VlWide<Words>& port, unsigned lsb = 0) {
  return port.data() + lsb / 32;
}

}  // namespace heddle::sim
