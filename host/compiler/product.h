// A matrix product in blocks: order of the tiles, prefetch, and what happens to finished sums.
//
// C (m x n) is cut into blocks of `rows` rows by `strips` strips that are accumulated at once; k is cut into tiles of
// `k_blocks` blocks of 32. Blocks go down the rows within a group of strips, tiles of k ascend within a block. Tiles
// are loaded one step ahead. `acc_sets` blocks take turns in the accumulators, so that one is drained while the next
// one is computed.
#pragma once

#include <functional>

#include "host/compiler/operand.h"

namespace heddle::compiler {

struct ProductShape {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
};

struct ProductTiling {
  std::uint32_t rows = kLanes;  // a multiple of 32
  std::uint32_t strips = 1;
  std::uint32_t k_blocks = 1;
  std::uint32_t acc_sets = 1;

  // Accumulator rows, as MATMUL counts them.
  std::uint32_t acc_rows() const { return rows * strips * acc_sets; }
};

// Rows of one strip whose sums are complete.
struct FinishedStrip {
  std::uint64_t row = 0;
  std::uint32_t rows = 0;
  std::uint64_t column = 0;
  std::uint32_t columns = 0;  // at most a strip's lanes
  std::uint32_t acc_row = 0;  // as MATMUL counts
};

// The panel of C that panel `i` of the strip is.
inline std::uint32_t panel_of(const FinishedStrip& strip, std::uint32_t i) {
  return static_cast<std::uint32_t>(strip.column / kLanes) + i;
}

struct ProductHooks {
  std::function<void(const FinishedStrip&)> drain;
  // Called before the instructions of each block, but after the LOADs that let the array start; may be empty.
  std::function<void()> begin_block = {};
  // The last strip of all is computed and drained in ever smaller pieces, so that little remains to do when the array
  // stops.
  bool end_in_pieces = false;
};

// Rows, strips and sets (k_blocks is left at 1): the whole of C at once if the accumulators hold it, otherwise blocks
// of half their size, two in turn.
ProductTiling cut_rows_and_strips(const Machine& machine, std::uint64_t m, std::uint64_t n);

// `a` has the tiles of rows, `b` those of columns (outer_block = rows, strips * strip lanes; k_block = k_blocks),
// `acc_row` the first of tiling.acc_rows() accumulator rows. m, n, k > 0.
void emit_product(ProgramBuilder& builder, const ProductShape& shape, const ProductTiling& tiling,
                  std::uint32_t acc_row, Operand& a, Operand& b, const ProductHooks& hooks);

}  // namespace heddle::compiler
