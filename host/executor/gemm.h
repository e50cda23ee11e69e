// Runs matrix products on a device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "driver/device.h"
#include "host/compiler/gemm.h"
#include "host/executor/device_program.h"
#include "host/executor/tensor_transfer.h"

namespace heddle {

struct GemmResult {
  std::vector<float> c;  // m x n
  driver::Counters counters;
};

// A product of one shape, compiled and with its buffers, for any number of operands.
class GemmRunner {
 public:
  GemmRunner(driver::Device& device, compiler::GemmProgram gemm);

  // Row-major bf16 as stored.
  GemmResult run(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b);

 private:
  driver::Device& device_;
  compiler::DeviceTensor a_;
  compiler::DeviceTensor b_;
  compiler::DeviceTensor c_;
  SlotBuffers slots_;
  DeviceProgram program_;
};

// Once.
GemmResult run_gemm(driver::Device& device, const compiler::GemmShape& shape, std::span<const std::uint16_t> a,
                    std::span<const std::uint16_t> b);

}  // namespace heddle
