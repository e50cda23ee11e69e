// C = op(A) op(B) in the accelerator's numerics, written from docs/design.md, section 2, with plain loops and sharing
// no code with the simulators: what results are checked against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/compiler/gemm.h"

namespace heddle::reference {

// Vectors along k (rows of A or columns of B), cut into blocks of 32 that share an exponent.
struct BlockVectors {
  std::size_t blocks = 0;              // of one vector
  std::vector<std::int16_t> mantissa;  // [vector][block][32]
  std::vector<int> exponent;           // [vector][block]
};

// One product, element by element. Keeps 2 bytes for each element of A and B and an exponent for each of their blocks.
class Gemm {
 public:
  // Row-major bf16 as stored (A is k x m if transposed, B n x k); not needed afterwards.
  Gemm(const compiler::GemmShape& shape, std::span<const std::uint16_t> a, std::span<const std::uint16_t> b);

  std::size_t rows() const { return m_; }
  std::size_t columns() const { return n_; }
  // The fp32 bits of C[i][j].
  std::uint32_t at(std::size_t i, std::size_t j) const;

 private:
  std::size_t m_;
  std::size_t n_;
  BlockVectors a_;  // rows
  BlockVectors b_;  // columns
};

// All of C, m x n fp32 bit patterns.
std::vector<std::uint32_t> gemm(const compiler::GemmShape& shape, std::span<const std::uint16_t> a,
                                std::span<const std::uint16_t> b);

}  // namespace heddle::reference
