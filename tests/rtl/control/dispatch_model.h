// What the dispatcher has to make of a program, in the plainest form: docs/design.md, section 6, one word after the
// other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rtl/isa/isa.h"

namespace heddle::test {

struct Sizes {
  std::uint32_t cols, ub_lines, acc_rows;
  std::uint64_t acc_lines() const { return std::uint64_t{acc_rows} * (cols > 32 ? cols / 32 : 1); }
};

struct Dispatched {
  unsigned unit;
  std::uint32_t index;
  isa::Word word, prefix;
  std::uint32_t wait, post;
};

struct Verdict {
  isa::Error error = isa::Error::none;
  std::uint32_t index = 0;
  std::uint32_t words = 0;             // words that passed
  std::vector<Dispatched> dispatched;  // in program order
  bool wload_alone = false;            // the last of them is a WLOAD that never gets its MATMUL
};

using SlotLines = std::array<std::uint32_t, 16>;

// The last line or row that each operand of an instruction touches, if its first one is `first`.
struct Reach {
  std::vector<std::uint64_t> ub, acc, memory;  // acc: rows of 32 lanes, MATMUL's are scaled to them
  std::uint64_t acc_limit = 0;
};
Reach reach_of(const isa::Instruction& instruction, const isa::Dims& dims, const isa::Vop& vop, const Sizes& sizes);

// `fetch_error`: the word whose line memory refused.
Verdict judge(std::span<const isa::Word> program, const SlotLines& slots, const Sizes& sizes,
              std::optional<std::uint32_t> fetch_error);

}  // namespace heddle::test
