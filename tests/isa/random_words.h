// Random instruction words for tests.
#pragma once

#include <random>

#include "rtl/isa/legality.h"

namespace heddle::isa::test {

using Random = std::mt19937_64;

inline std::uint32_t below(Random& random, std::uint64_t count) {
  return static_cast<std::uint32_t>(std::uniform_int_distribution<std::uint64_t>(0, count - 1)(random));
}

// A value that the table allows; limits more often than the rest.
inline std::uint32_t legal_value(Random& random, const FieldInfo& field, std::uint32_t cols) {
  const std::uint32_t max = field.max_is_cols ? cols : field.max;
  if (below(random, 4) == 0) return field.min;
  if (below(random, 4) == 0) return max / field.multiple * field.multiple;
  const std::uint64_t steps = (std::uint64_t{max} - field.min) / field.multiple;
  return static_cast<std::uint32_t>(field.min + std::uint64_t{below(random, steps + 1)} * field.multiple);
}

inline Word legal_word(Random& random, std::uint32_t cols) {
  const auto& info = table()[below(random, table().size())];
  Word word = insert({}, kOpcodeLsb, kOpcodeBits, static_cast<std::uint32_t>(info.opcode));
  for (const auto& field : info.fields) word = insert(word, field.lsb, field.bits, legal_value(random, field, cols));
  return word;
}

inline Word flip_bits(Random& random, Word word) {
  for (std::uint32_t flips = 1 + below(random, 3); flips > 0; --flips) {
    const std::uint32_t bit = below(random, 128);
    (bit < 64 ? word.lo : word.hi) ^= std::uint64_t{1} << (bit % 64);
  }
  return word;
}

}  // namespace heddle::isa::test
