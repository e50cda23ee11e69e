// The array's part of a matrix product: from operands in the unified buffer to accumulator rows.
//
// C (rows x columns) += A (rows x k) B (k x columns). A is streamed, B is held stationary. Each lies in the unified
// buffer as it lies in memory, straight or as its transpose; the hardware turns it on the way in.
#pragma once

#include "host/compiler/program_builder.h"

namespace heddle::compiler {

// A bf16 matrix in the unified buffer: element (row, column) is lane column mod 32 of line + row * pitch + column / 32.
struct BufferMatrix {
  std::uint32_t line = 0;
  std::uint32_t pitch = 1;
  bool transposed = false;  // the matrix in the buffer is the transpose of the operand
};

// Which part of the operands takes part; all origins are relative to the BufferMatrix.
struct Contraction {
  std::uint32_t row = 0;  // of A; a multiple of 32 if A is transposed
  std::uint32_t rows = 1;
  std::uint32_t column = 0;   // of B; a multiple of the strip's lanes
  std::uint32_t columns = 1;  // at most a strip's lanes
  std::uint32_t block_a = 0;  // first block of 32 k, in A and in B
  std::uint32_t block_b = 0;
  std::uint32_t blocks = 1;
  std::uint32_t k_tail = kLanes;  // k in the last block
  std::uint32_t acc_row = 0;
  bool accumulate = false;
};

void emit_contraction(ProgramBuilder& builder, const BufferMatrix& a, const BufferMatrix& b, const Contraction& c);

}  // namespace heddle::compiler
