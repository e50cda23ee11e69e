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
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const bool arriving = i == 0 && (tile_a_.missing || tile_b_.missing);
      const BufferMatrix a = tile_a_.matrix;
      const BufferMatrix b = tile_b_.matrix;
      if (arriving)
        emit_first_strip(a, b);
      else
        begin_block(steps_[i]);
      if (i + 1 < steps_.size()) load_ahead(steps_[i + 1]);
      for (std::uint32_t strip = arriving ? 1 : 0; strip < strips_of(steps_[i]); ++strip)
        emit_strip(i, strip, a, b, 0, blocks_of(steps_[i]));
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

  void begin_block(const Step& step) const {
    if (hooks_.begin_block && step.k_tile == 0) hooks_.begin_block();
  }

  void load_ahead(const Step& next) {
    tile_b_ = b_.ask(next.group, next.k_tile);
    if (tile_b_.missing) b_.load(builder_, tile_b_);
    tile_a_ = a_.ask(next.block, next.k_tile);
    if (tile_a_.missing) a_.load(builder_, tile_a_);
  }

  // The first tiles are not there yet. The first strip goes block by block of k as they arrive, LOADs two blocks ahead;
  // then comes what the other strips need.
  void emit_first_strip(const BufferMatrix& a, const BufferMatrix& b) {
    const Step& step = steps_[0];
    const std::uint32_t blocks = blocks_of(step);
    load_first(0);
    load_first(1);
    begin_block(step);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      load_first(i + 2);
      if (i + 1 == blocks && tile_b_.missing) b_.load(builder_, tile_b_, {.outer = machine_.strip_lanes()});
      emit_strip(0, 0, a, b, i, 1);
    }
  }

  void load_first(std::uint32_t block) const {
    if (tile_b_.missing)
      b_.load(builder_, tile_b_, {.block = block, .blocks = 1, .outer = 0, .outers = machine_.strip_lanes()});
    if (tile_a_.missing) a_.load(builder_, tile_a_, {.block = block, .blocks = 1});
  }

  std::uint64_t group_column(const Step& step) const { return std::uint64_t{step.group} * group_lanes_; }
  std::uint32_t strips_of(const Step& step) const {
    return machine_.strips_of(std::min<std::uint64_t>(group_lanes_, shape_.n - group_column(step)));
  }
  // Blocks of k, of all and of this step.
  std::uint64_t all_blocks() const { return divide_up(shape_.k, kLanes); }
  std::uint32_t blocks_of(const Step& step) const {
    const std::uint64_t first = std::uint64_t{step.k_tile} * tiling_.k_blocks;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(tiling_.k_blocks, all_blocks() - first));
  }

  // `blocks` blocks of k from `block` on of a step, against one strip. Drains it when its sums are complete.
  void emit_strip(std::size_t index, std::uint32_t number, const BufferMatrix& a, const BufferMatrix& b,
                  std::uint32_t block, std::uint32_t blocks) {
    const Step& step = steps_[index];
    const FinishedStrip strip = strip_of(step, number);
    const bool complete = std::uint64_t{step.k_tile} * tiling_.k_blocks + block + blocks == all_blocks();
    const bool last = index + 1 == steps_.size() && number + 1 == strips_of(step);
    Contraction c;
    c.column = number * machine_.strip_lanes();
    c.columns = strip.columns;
    c.block_a = c.block_b = block;
    c.blocks = blocks;
    c.k_tail = complete ? static_cast<std::uint32_t>(shape_.k - (all_blocks() - 1) * kLanes) : kLanes;
    c.accumulate = step.k_tile > 0 || block > 0;
    emit_pieces(a, b, c, strip, complete, complete && last && hooks_.end_in_pieces);
  }

  FinishedStrip strip_of(const Step& step, std::uint32_t number) const {
    const std::uint32_t set = (step.group * blocks_ + step.block) % tiling_.acc_sets;
    FinishedStrip strip;
    strip.row = std::uint64_t{step.block} * tiling_.rows;
    strip.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(tiling_.rows, shape_.m - strip.row));
    strip.column = group_column(step) + number * machine_.strip_lanes();
    strip.columns =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(machine_.strip_lanes(), shape_.n - strip.column));
    strip.acc_row = acc_row_ + (set * tiling_.strips + number) * tiling_.rows;
    return strip;
  }

  void emit_pieces(const BufferMatrix& a, const BufferMatrix& b, Contraction c, const FinishedStrip& strip, bool drains,
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
