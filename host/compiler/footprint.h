// Which places an instruction reads and writes: docs/design.md, section 4, as patterns of lines.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/compiler/machine.h"
#include "rtl/isa/isa.h"

namespace heddle::compiler {

// A space of lines: the unified buffer, the accumulators (rows of 32 lanes), or a slot of device memory.
using Space = std::uint8_t;
inline constexpr Space kUnifiedBuffer = 0;
inline constexpr Space kAccumulators = 1;
inline constexpr Space kFirstSlot = 2;
inline constexpr std::size_t kSpaces = kFirstSlot + 16;

struct Pattern {
  Space space = kUnifiedBuffer;
  bool write = false;
  std::uint64_t first = 0;
  std::array<std::uint32_t, 4> count{1, 1, 1, 1};
  std::array<std::uint64_t, 4> stride{0, 0, 0, 0};

  // Calls f(line) for each line.
  template <typename F>
  void for_each(F f) const {
    for (std::uint32_t i3 = 0; i3 < count[3]; ++i3)
      for (std::uint32_t i2 = 0; i2 < count[2]; ++i2)
        for (std::uint32_t i1 = 0; i1 < count[1]; ++i1) {
          const std::uint64_t row = first + i3 * stride[3] + i2 * stride[2] + i1 * stride[1];
          for (std::uint32_t i0 = 0; i0 < count[0]; ++i0) f(row + i0 * stride[0]);
        }
  }
  std::uint64_t last() const;
};

// An instruction with the prefix that stands before it, if any.
struct Operation {
  isa::Instruction instruction;
  std::optional<isa::Instruction> prefix;
};

isa::Unit unit_of(const isa::Instruction& instruction);

// Patterns with a count of zero do not occur. Masked lines (k beyond k_tail, columns beyond cols) are not counted.
std::vector<Pattern> footprint(const Operation& operation, const Machine& machine);

}  // namespace heddle::compiler
