// The sizes of a core as the compiler sees them.
//
// The array has `cols` columns, device tensors are made of panels of 32 lanes. A *strip* is what the compiler gives to
// the array at once: one panel, or two if the array is 64 columns wide. An array with fewer than 32 columns takes a
// panel in several groups of columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "config/config.h"

namespace heddle::compiler {

inline constexpr std::uint32_t kLanes = 32;  // of a panel, and k of a block
inline constexpr std::uint32_t kTokenLimit = 63;

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
constexpr std::uint32_t panels_of(std::uint64_t lanes) { return static_cast<std::uint32_t>(divide_up(lanes, kLanes)); }
constexpr std::uint32_t round_up(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b * b; }
// Rows at an odd pitch go round all banks of the unified buffer.
constexpr std::uint32_t odd_pitch(std::uint32_t lines) { return lines | 1U; }
// fp32 rows are pairs of lines: the pitch is even, its half odd.
constexpr std::uint32_t pair_pitch(std::uint32_t pairs) { return 2 * odd_pitch(pairs); }

// Rows that the array reads while VEC walks over pairs: at the same pace through the banks, so that the two may meet in
// a bank once and never again. (MLP step on the RTL with 16 banks: 29.3 thousand cycles, with odd pitches 30.1.)
constexpr std::uint32_t activation_pitch(std::uint32_t lines) {
  const std::uint32_t period = lines < 8 ? 4 : 8;
  return (lines + period - 3) / period * period + 2;
}

struct Machine {
  explicit Machine(const config::Config& c)
      : cols(c.cols), ub_lines(c.ub_lines), acc_rows(c.acc_rows), ports(c.axi_ports), acc_lines(c.acc_lines()) {}

  std::uint32_t cols;
  std::uint32_t ub_lines;
  std::uint32_t acc_rows;
  std::uint32_t ports;
  std::uint32_t acc_lines;

  std::uint32_t strip_panels() const { return std::max(cols / kLanes, 1U); }
  std::uint32_t strip_lanes() const { return kLanes * strip_panels(); }
  std::uint32_t strips_of(std::uint64_t lanes) const {
    return static_cast<std::uint32_t>(divide_up(lanes, strip_lanes()));
  }
  // Accumulator row, as VEC and STORE count, of panel `panel` of a strip whose MATMUL row is `row`.
  std::uint32_t acc_line(std::uint32_t row, std::uint32_t panel) const { return row + panel * acc_rows; }
};

}  // namespace heddle::compiler
