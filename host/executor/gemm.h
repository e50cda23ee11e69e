// Runs one matrix product on a device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "driver/device.h"
#include "host/compiler/gemm.h"

namespace heddle {

struct GemmResult {
  std::vector<float> c;  // m x n
  driver::Counters counters;
};

// Row-major bf16 as stored.
GemmResult run_gemm(driver::Device& device, const compiler::GemmShape& shape, std::span<const std::uint16_t> a,
                    std::span<const std::uint16_t> b);

}  // namespace heddle
