// What a core keeps between programs: unified buffer and accumulators. All-zero at power-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "config/config.h"
#include "sim/functional/operation.h"

namespace heddle::sim {

// 32 values along the lanes.
struct alignas(64) Bf16Row {
  std::uint16_t lane[kLanes];
};
struct alignas(64) Fp32Row {
  float lane[kLanes];
};

class UnifiedBuffer {
 public:
  explicit UnifiedBuffer(std::uint32_t lines) : lines_(lines) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(lines_.size()); }
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(lines_)); }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(lines_)); }

  // bf16 is what lines hold most often; fp32 rows are copied out and in.
  const Bf16Row& line(std::size_t index) const { return lines_[index]; }
  Bf16Row& line(std::size_t index) { return lines_[index]; }
  std::byte* data(std::size_t line) { return reinterpret_cast<std::byte*>(&lines_[line]); }

 private:
  std::vector<Bf16Row> lines_;
};

// Rows of 32 lanes as VEC and STORE see them (docs/design.md, section 3).
class Accumulators {
 public:
  explicit Accumulators(const config::Config& config) : acc_rows_(config.acc_rows), rows_(config.acc_lines()) {}

  Fp32Row& row(std::size_t index) { return rows_[index]; }
  const Fp32Row& row(std::size_t index) const { return rows_[index]; }
  std::size_t size() const { return rows_.size(); }

  // Where MATMUL's column 8 * strip of row `index` lies: eight lanes from there; the next row is kLanes floats on.
  float* strip(std::size_t index, std::uint32_t first_lane, std::uint32_t strip) {
    const std::uint32_t lane = first_lane + 8 * strip;
    return rows_[index + std::size_t{acc_rows_} * (lane / kLanes)].lane + lane % kLanes;
  }

 private:
  std::uint32_t acc_rows_;
  std::vector<Fp32Row> rows_;
};

}  // namespace heddle::sim
