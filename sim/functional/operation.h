// Instructions as the units execute them: a prefix and its instruction are one operation.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "rtl/isa/isa.h"

namespace heddle::sim {

inline constexpr unsigned kSlots = 16;
inline constexpr std::uint32_t kLineBytes = 64;
inline constexpr std::uint32_t kLanes = 32;

// Four nested loops of lines, dimension 0 innermost. Strides of dimension 0 are 1.
struct Pattern {
  std::array<std::uint32_t, 4> count{1, 1, 1, 1};
  std::array<std::uint32_t, 4> memory_stride{1, 0, 0, 0};
  std::array<std::uint32_t, 4> buffer_stride{1, 0, 0, 0};
  std::uint32_t memory_line = 0;
  std::uint32_t buffer_line = 0;

  std::uint64_t last_memory_line() const { return last(memory_line, memory_stride, 0); }
  // `first_dimension` 1 leaves out dimension 0: rows of the accumulators.
  std::uint64_t last_buffer_line(unsigned first_dimension = 0) const {
    return last(buffer_line, buffer_stride, first_dimension);
  }

 private:
  std::uint64_t last(std::uint64_t line, const std::array<std::uint32_t, 4>& stride, unsigned first_dimension) const {
    for (unsigned d = first_dimension; d < 4; ++d) line += std::uint64_t{count[d] - 1} * stride[d];
    return line;
  }
};

struct LoadOperation {
  Pattern pattern;
  unsigned slot = 0;
  bool fill = false;
};

struct StoreOperation {
  Pattern pattern;
  unsigned slot = 0;
  bool from_accumulators = false;  // then dimension 0 counts the halves of a row
};

struct VectorOperation {
  isa::Vec vec;
  isa::Vop vop;
  bool row_sum() const { return vop.reduce == isa::Vop::Reduce::row_sum; }
  std::uint32_t rows_written() const { return row_sum() ? 1 : vec.rows; }
};

using Operation = std::variant<LoadOperation, StoreOperation, isa::Wload, isa::Matmul, VectorOperation>;

// One dispatched instruction.
struct Step {
  Operation operation;
  isa::Unit unit = isa::Unit::none;
  std::uint32_t wait = 0;   // bit u: takes a token from unit u
  std::uint32_t post = 0;   // bit u: gives a token to unit u
  std::uint32_t index = 0;  // of the instruction's own word in the program
};

// How a program ends: the error and the index of the faulting word, or `none` and the index of HALT.
struct Outcome {
  isa::Error error = isa::Error::none;
  std::uint32_t index = 0;
  bool operator==(const Outcome&) const = default;
};

// A program after dispatch: what the units execute, and how it ends. Nothing of it depends on data.
struct CheckedProgram {
  std::vector<Step> steps;  // all instructions before the fault
  Outcome outcome;
};

}  // namespace heddle::sim
