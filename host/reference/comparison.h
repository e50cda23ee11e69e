// A computed matrix against the reference, bit for bit: every element, or enough of them for what is too large.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "host/reference/gemm.h"

namespace heddle::reference {

enum class Coverage : std::uint8_t {
  all,
  // C is cut into tiles of 16 x 16; of each, 16 elements that random numbers choose so that all its rows and all its
  // columns have one. Whatever loses or spoils 16 neighbours of a row (a line of device memory) or of a column is found
  // for certain; an error that strikes a share s of all elements at random is missed with probability (1 - s)^checked.
  sampled,
};

struct Difference {
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  std::uint32_t found = 0;  // fp32 bits
  std::uint32_t expected = 0;
};

struct Comparison {
  std::uint64_t checked = 0;  // comparisons made
  std::uint64_t wrong = 0;
  std::optional<Difference> first;
};

// `c` is m x n. `seed` chooses the samples.
Comparison compare(std::span<const float> c, const Gemm& expected, Coverage coverage, std::uint64_t seed);

}  // namespace heddle::reference
