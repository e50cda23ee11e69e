#include "host/compiler/product.h"

#include <algorithm>
#include <vector>

namespace heddle::compiler {
namespace {

constexpr std::uint32_t kLastRows = 32;    // of the smallest piece
constexpr std::uint32_t kRowLimit = 4064;  // of one MATMUL, a multiple of 32
constexpr std::uint32_t kBlockRows = 256;  // enough to hide a tile's way into the array, few enough to arrive soon

std::uint32_t round_down_to_lanes(std::uint32_t x) { return x / kLanes * kLanes; }

struct Step {
  std::uint32_t group = 0;  // of strips
  std::uint32_t block = 0;  // of rows
  std::uint32_t k_tile = 0;
};

class ProductEmitter {
 public:
  ProductEmitter(ProgramBuilder& builder, const ProductShape& shape, const ProductTiling& tiling, std::uint32_t acc_row,
                 Operand& a, Operand& b, const ProductHooks& hooks)
      : builder_(builder),
        machine_(builder.machine()),
        shape_(shape),
        tiling_(tiling),
        acc_row_(acc_row),
        a_(a),
        b_(b),
        hooks_(hooks) {
    group_lanes_ = tiling.strips * machine_.strip_lanes();
    blocks_ = static_cast<std::uint32_t>(divide_up(shape.m, tiling.rows));
  }

  void emit() {
    list_steps();
    tile_a_ = a_.ask(0, 0);
    tile_b_ = b_.ask(0, 0);
    load_first_tiles();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (hooks_.begin_block && steps_[i].k_tile == 0) hooks_.begin_block();
      const auto next_a = tile_a_;
      const auto next_b = tile_b_;
      if (i + 1 < steps_.size()) load_ahead(steps_[i + 1]);
      emit_step(i, next_a.matrix, next_b.matrix);
    }
  }

 private:
  void list_steps() {
    const auto groups = static_cast<std::uint32_t>(divide_up(shape_.n, group_lanes_));
    const auto k_tiles = static_cast<std::uint32_t>(divide_up(shape_.k, std::uint64_t{kLanes} * tiling_.k_blocks));
    for (std::uint32_t group = 0; group < groups; ++group)
      for (std::uint32_t block = 0; block < blocks_; ++block)
        for (std::uint32_t k_tile = 0; k_tile < k_tiles; ++k_tile) steps_.push_back({group, block, k_tile});
  }

  // Block of k by block of k, so that the array can start as soon as the first ones are there.
  void load_first_tiles() {
    for (std::uint32_t i = 0; i < tiling_.k_blocks; ++i) {
      if (tile_b_.missing) b_.load_block(builder_, tile_b_, i);
      if (tile_a_.missing) a_.load_block(builder_, tile_a_, i);
    }
    loading_ = tile_a_.missing || tile_b_.missing;
  }

  void load_ahead(const Step& next) {
    tile_b_ = b_.ask(next.group, next.k_tile);
    if (tile_b_.missing) b_.load(builder_, tile_b_);
    tile_a_ = a_.ask(next.block, next.k_tile);
    if (tile_a_.missing) a_.load(builder_, tile_a_);
  }

  // One tile of A against one of B. The first step goes block by block of k, as the blocks arrive; later ones strip by
  // strip.
  void emit_step(std::size_t index, const BufferMatrix& a, const BufferMatrix& b) {
    const Step& step = steps_[index];
    const std::uint64_t all_blocks = divide_up(shape_.k, kLanes);
    const std::uint64_t first_block = std::uint64_t{step.k_tile} * tiling_.k_blocks;
    const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(tiling_.k_blocks, all_blocks - first_block));
    const bool complete = first_block + blocks == all_blocks;
    const std::uint32_t at_once = index == 0 && loading_ ? 1 : blocks;
    for (std::uint32_t done = 0; done < blocks; done += at_once) {
      const bool drains = complete && done + at_once == blocks;
      Contraction c;
      c.block_a = c.block_b = done;
      c.blocks = at_once;
      c.k_tail = drains ? static_cast<std::uint32_t>(shape_.k - (all_blocks - 1) * kLanes) : kLanes;
      c.accumulate = step.k_tile > 0 || done > 0;
      emit_strips(step, a, b, c, drains, drains && index + 1 == steps_.size());
    }
  }

  void emit_strips(const Step& step, const BufferMatrix& a, const BufferMatrix& b, Contraction c, bool drains,
                   bool last) {
    const std::uint64_t group_column = std::uint64_t{step.group} * group_lanes_;
    const std::uint32_t set = (step.group * blocks_ + step.block) % tiling_.acc_sets;
    const auto columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(group_lanes_, shape_.n - group_column));
    const std::uint32_t strips = machine_.strips_of(columns);
    FinishedStrip strip;
    strip.row = std::uint64_t{step.block} * tiling_.rows;
    strip.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(tiling_.rows, shape_.m - strip.row));
    for (std::uint32_t i = 0; i < strips; ++i) {
      c.column = i * machine_.strip_lanes();
      c.columns = std::min(machine_.strip_lanes(), columns - c.column);
      strip.column = group_column + c.column;
      strip.columns = c.columns;
      strip.acc_row = acc_row_ + (set * tiling_.strips + i) * tiling_.rows;
      emit_strip(a, b, c, strip, drains, last && i + 1 == strips && hooks_.end_in_pieces);
    }
  }

  // Contracts one strip and drains it when its sums are complete.
  void emit_strip(const BufferMatrix& a, const BufferMatrix& b, Contraction c, const FinishedStrip& strip, bool drains,
                  bool in_pieces) {
    FinishedStrip piece = strip;
    for (std::uint32_t done = 0; done < strip.rows; done += piece.rows) {
      const std::uint32_t rest = strip.rows - done;
      piece.rows = in_pieces && rest > kLastRows ? round_up(rest / 2, kLanes) : rest;
      piece.row = strip.row + done;
      piece.acc_row = strip.acc_row + done;
      c.row = done;
      c.rows = piece.rows;
      c.acc_row = piece.acc_row;
      emit_contraction(builder_, a, b, c);
      if (drains) hooks_.drain(piece);
    }
  }

  ProgramBuilder& builder_;
  const Machine& machine_;
  ProductShape shape_;
  ProductTiling tiling_;
  std::uint32_t acc_row_;
  Operand& a_;
  Operand& b_;
  const ProductHooks& hooks_;
  std::uint32_t group_lanes_ = 0;
  std::uint32_t blocks_ = 0;  // of rows
  std::vector<Step> steps_;
  Operand::Tile tile_a_;  // of the step to come
  Operand::Tile tile_b_;
  bool loading_ = false;  // the first tiles arrive block by block
};

}  // namespace

ProductTiling cut_rows_and_strips(const Machine& machine, std::uint64_t m, std::uint64_t n) {
  ProductTiling tiling;
  const std::uint32_t strips = machine.strips_of(n);
  const auto all_rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(divide_up(m, kLanes) * kLanes, kRowLimit));
  if (all_rows >= m && std::uint64_t{all_rows} * strips <= machine.acc_rows) {
    tiling.rows = all_rows;
    tiling.strips = strips;
    return tiling;
  }
  const std::uint32_t half = machine.acc_rows / 2;
  tiling.rows = std::min({all_rows, kBlockRows, round_down_to_lanes(half)});
  tiling.strips = std::min(strips, half / tiling.rows);
  tiling.rows = std::min(all_rows, round_down_to_lanes(half / tiling.strips));
  tiling.acc_sets = 2;
  return tiling;
}

void emit_product(ProgramBuilder& builder, const ProductShape& shape, const ProductTiling& tiling,
                  std::uint32_t acc_row, Operand& a, Operand& b, const ProductHooks& hooks) {
  ProductEmitter(builder, shape, tiling, acc_row, a, b, hooks).emit();
}

}  // namespace heddle::compiler
