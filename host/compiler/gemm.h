// C = op(A) op(B): bf16 operands in device memory, fp32 result in device memory, one program.
#pragma once

#include <cstdint>

#include "host/compiler/device_tensor.h"

namespace heddle::compiler {

struct GemmShape {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  bool transpose_a = false;  // A is stored as k x m
  bool transpose_b = false;  // B is stored as n x k
};

// Tensors as the program expects them; rows and columns are those of the stored matrices.
struct GemmProgram {
  Program program;
  DeviceTensor a;
  DeviceTensor b;
  DeviceTensor c;
};

// Any shape, zeros included. Throws CompileError for matrices that device memory cannot hold.
GemmProgram compile_gemm(const GemmShape& shape, const config::Config& config);

}  // namespace heddle::compiler
