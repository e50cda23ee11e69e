#include "sim/functional/matmul.h"

#include <algorithm>

#include "sim/functional/transpose.h"

namespace heddle::sim {
namespace {

constexpr std::uint32_t kGroup = 128;  // rows converted at a time: they stay in the first-level cache

void clear_tail(Bf16Row& row, std::uint32_t valid) {
  for (std::uint32_t k = valid; k < kLanes; ++k) row.lane[k] = 0;
}

}  // namespace

MatrixUnit::MatrixUnit(std::uint32_t cols)
    : cols_(cols), columns_(cols), strips_(cols / kStripColumns), streamed_(kGroup) {}

void MatrixUnit::matmul(const isa::Matmul& matmul, const UnifiedBuffer& buffer, Accumulators& accumulators) {
  for (std::uint32_t pass = 0; pass < matmul.passes; ++pass) {
    const bool last = pass + 1 == matmul.passes;
    read_tile(buffer, pass, last ? tiles_.k_tail : kLanes);
    const bool first_block = pass == 0 && matmul.accumulate == 0;
    for (std::uint32_t row = 0; row < matmul.rows; row += kGroup) {
      const std::uint32_t count = std::min(kGroup, matmul.rows - row);
      read_rows(matmul, buffer, pass, row, count, last ? matmul.k_tail : kLanes);
      convert_rows(streamed_.data(), count, converted_);
      for (std::uint32_t strip = 0; strip < strips_.size(); ++strip)
        accumulate_block(converted_, count, strips_[strip], first_block,
                         accumulators.strip(matmul.acc_row + row, 8 * matmul.lane_group, strip));
    }
  }
}

void MatrixUnit::read_tile(const UnifiedBuffer& buffer, std::uint32_t pass, std::uint32_t valid_k) {
  const std::size_t base = tiles_.ub_line + std::size_t{pass} * tiles_.pass_stride;
  if (tiles_.transpose != 0) {
    for (std::uint32_t c = 0; c < tiles_.cols; ++c) {
      columns_[c] = buffer.line(base + std::size_t{c} * tiles_.row_stride);
      clear_tail(columns_[c], valid_k);
    }
  } else {
    const std::uint32_t first = 8 * tiles_.lane_group;
    for (std::uint32_t part = 0; part < (tiles_.cols + kLanes - 1) / kLanes; ++part) {
      Bf16Row turned[kLanes];
      transpose_block(buffer, base + part, tiles_.row_stride, valid_k, turned);
      const std::uint32_t end = std::min(tiles_.cols, (part + 1) * kLanes);
      for (std::uint32_t c = part * kLanes; c < end; ++c) columns_[c] = turned[(first + c) % kLanes];
    }
  }
  for (std::uint32_t c = tiles_.cols; c < cols_; ++c) columns_[c] = Bf16Row{};
  for (std::size_t strip = 0; strip < strips_.size(); ++strip)
    convert_strip(&columns_[strip * kStripColumns], strips_[strip]);
}

void MatrixUnit::read_rows(const isa::Matmul& matmul, const UnifiedBuffer& buffer, std::uint32_t pass,
                           std::uint32_t first, std::uint32_t count, std::uint32_t valid_k) {
  const std::size_t base = matmul.ub_line + std::size_t{pass} * matmul.pass_stride;
  if (matmul.transpose != 0) {
    static_assert(kGroup % kLanes == 0);
    for (std::uint32_t i = 0; i < count; i += kLanes)
      transpose_block(buffer, base + (first + i) / kLanes, matmul.row_stride, valid_k, &streamed_[i]);
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    streamed_[i] = buffer.line(base + std::size_t{first + i} * matmul.row_stride);
    if (valid_k < kLanes) clear_tail(streamed_[i], valid_k);
  }
}

}  // namespace heddle::sim
