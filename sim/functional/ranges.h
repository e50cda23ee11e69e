// Last lines of strided patterns, with the conventions of docs/design.md, section 6.
#pragma once

#include <cstdint>

#include "rtl/isa/isa.h"
#include "sim/functional/operation.h"

namespace heddle::sim {

constexpr std::uint64_t last_row(std::uint64_t line, std::uint64_t rows, std::uint64_t stride) {
  return line + (rows - 1) * stride;
}

// Conservative: a tail that is masked still counts.
constexpr std::uint64_t last_line(const isa::Wload& i) {
  const std::uint64_t in_tile =
      i.transpose != 0 ? std::uint64_t{i.cols - 1} * i.row_stride
                       : std::uint64_t{kLanes - 1} * i.row_stride + (8 * i.lane_group + i.cols - 1) / kLanes;
  return last_row(i.ub_line, i.passes, i.pass_stride) + in_tile;
}

constexpr std::uint64_t last_line(const isa::Matmul& i) {
  const std::uint64_t in_pass = i.transpose != 0 ? std::uint64_t{kLanes - 1} * i.row_stride + (i.rows - 1) / kLanes
                                                 : std::uint64_t{i.rows - 1} * i.row_stride;
  return last_row(i.ub_line, i.passes, i.pass_stride) + in_pass;
}

}  // namespace heddle::sim
