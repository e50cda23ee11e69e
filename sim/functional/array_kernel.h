// The systolic array's arithmetic, eight columns at a time: exact block sums, one rounding to fp32, one fp32 addition.
//
// Runs under numerics::FlushScope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/functional/state.h"

namespace heddle::sim {

inline constexpr std::size_t kStripColumns = 8;
inline constexpr std::size_t kPairs = kLanes / 2;

// Streamed rows of one pass, converted to block mantissas.
struct StreamedRows {
  void resize(std::size_t rows) {
    if (scale.size() < rows) {
      mantissa.resize(rows);
      scale.resize(rows);
    }
  }
  struct alignas(64) Mantissas {
    std::int16_t k[kLanes];
  };
  std::vector<Mantissas> mantissa;
  std::vector<double> scale;  // 2^(E - 141); NaN in a poisoned block
};

// Eight columns of a stationary tile: [pair of k][column][k within the pair], as the pairwise multiply-add wants it.
struct alignas(64) TileStrip {
  std::int16_t mantissa[kPairs][kStripColumns][2];
  double scale[kStripColumns];  // 2^(E - 141); NaN in a poisoned block
};

// Converts `count` rows of 32 k each.
void convert_rows(const Bf16Row* rows, std::size_t count, StreamedRows& out);

// Converts eight columns, each of 32 k.
void convert_strip(const Bf16Row* columns, TileStrip& out);

// Adds the block results of `count` rows to accumulators; `first_block` starts from +0 instead of their content.
// `accumulator` is the first row's strip; rows are kLanes floats apart.
void accumulate_block(const StreamedRows& rows, std::size_t count, const TileStrip& strip, bool first_block,
                      float* accumulator);

}  // namespace heddle::sim
