// C = op(A) op(B) in the accelerator's numerics, written from docs/design.md, section 2, with plain loops and sharing
// no code with the simulators: what results are checked against.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/compiler/gemm.h"

namespace heddle::reference {

// Row-major bf16 as stored (A is k x m if transposed, B n x k); returns m x n fp32 bit patterns.
std::vector<std::uint32_t> gemm(const compiler::GemmShape& shape, std::span<const std::uint16_t> a,
                                std::span<const std::uint16_t> b);

}  // namespace heddle::reference
