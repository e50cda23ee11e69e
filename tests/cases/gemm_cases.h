// gemm.csv: matrix products that people run, or that broke other systems.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::cases {

struct GemmCase {
  std::string id;
  std::string name;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;

  std::uint64_t macs() const { return m * n * k; }
};

// One product of each row; batched rows count once.
std::vector<GemmCase> gemm_cases();

}  // namespace heddle::cases
