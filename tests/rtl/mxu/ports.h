// Ports of Verilated models as arrays of words, whatever type Verilator gave them.
#pragma once

#include <cstdint>
#include <type_traits>

namespace heddle::test {

template <typename Port>
std::uint32_t* words(Port& port) {
  if constexpr (std::is_class_v<Port>)
    return port.data();
  else
    return reinterpret_cast<std::uint32_t*>(&port);
}

template <typename Port>
void put16(Port& port, int index, int value) {
  const auto shift = 16 * (index % 2);
  std::uint32_t& word = words(port)[index / 2];
  word = (word & ~(0xFFFFU << shift)) | (static_cast<std::uint32_t>(value & 0xFFFF) << shift);
}

template <typename Port>
void put8(Port& port, int index, int value) {
  const auto shift = 8 * (index % 4);
  std::uint32_t& word = words(port)[index / 4];
  word = (word & ~(0xFFU << shift)) | (static_cast<std::uint32_t>(value & 0xFF) << shift);
}

template <typename Port>
std::int64_t get64(Port& port, int index) {
  return static_cast<std::int64_t>(words(port)[2 * index] | (std::uint64_t{words(port)[2 * index + 1]} << 32));
}

}  // namespace heddle::test
