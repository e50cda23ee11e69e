#include "host/compiler/gemm.h"

#include <algorithm>

#include "common/error.h"
#include "host/compiler/operand.h"

namespace heddle::compiler {
namespace {

constexpr std::uint32_t kRowLimit = 4064;       // of one MATMUL, a multiple of 32
constexpr std::uint32_t kFirstRows = 256;       // enough rows to hide a tile's way into the array, few enough to load soon
constexpr std::uint32_t kTileBlocks = 4;        // blocks of k in a tile: bursts of 256 bytes and longer
constexpr std::uint32_t kTilesInFlight = 3;     // one in use, one being loaded, one being freed
constexpr std::uint32_t kLinesPerBand = 32;     // what is worth a port of its own
constexpr std::uint32_t kLastRows = 32;         // rows whose results remain to be stored when the array stops
constexpr std::uint32_t kBandLimit = 4;
// The tensors' slots start at different ports.
constexpr std::uint32_t kSlotA = 0;
constexpr std::uint32_t kSlotB = 5;
constexpr std::uint32_t kSlotC = 10;

std::uint32_t round_down_to_lanes(std::uint32_t x) { return x / kLanes * kLanes; }

// How the product is cut: C into blocks of rows x strips that are accumulated at once, k into tiles.
struct Tiling {
  std::uint32_t rows = 0;      // of a block, a multiple of 32
  std::uint32_t strips = 0;    // of a block
  std::uint32_t k_blocks = 0;  // of a tile
  std::uint32_t acc_sets = 1;  // 2: one block is stored while the next one is computed
  std::uint32_t a_tiles = 0;   // buffers
  std::uint32_t b_tiles = 0;
};

class GemmCompiler {
 public:
  GemmCompiler(const GemmShape& shape, const config::Config& config)
      : shape_(shape), machine_(config), builder_(machine_) {
    result_.a = place(kSlotA, shape.transpose_a ? shape.k : shape.m, shape.transpose_a ? shape.m : shape.k, Format::bf16);
    result_.b = place(kSlotB, shape.transpose_b ? shape.n : shape.k, shape.transpose_b ? shape.k : shape.n, Format::bf16);
    result_.c = place(kSlotC, shape.m, shape.n, Format::fp32);
  }

  GemmProgram compile() {
    if (shape_.m > 0 && shape_.n > 0) {
      if (shape_.k == 0)
        emit_zeros();
      else
        emit_product();
    }
    result_.program = builder_.finish();
    return std::move(result_);
  }

 private:
  DeviceTensor place(std::uint32_t slot, std::uint64_t rows, std::uint64_t columns, Format format) const {
    const std::uint64_t lines = rows * divide_up(columns, lanes_per_line(format));
    const auto wanted = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(lines / kLinesPerBand, 1, kBandLimit));
    return SlotPlanner(slot, std::min(wanted, machine_.ports)).place(rows, columns, format, false);
  }

  // The empty sum: one row of zeros, stored everywhere.
  void emit_zeros() {
    constexpr std::uint32_t kAtOnce = 4095;
    for (std::uint32_t line = 0; line < result_.c.row_lines; line += kAtOnce) {
      const std::uint32_t lines = std::min({kAtOnce, result_.c.row_lines - line, machine_.ub_lines});
      isa::Load fill;
      fill.n0 = lines;
      fill.fill = 1;
      builder_.load(fill);
      constexpr std::uint32_t kRowsAtOnce = 4096;
      for (std::uint64_t row = 0; row < shape_.m; row += kRowsAtOnce) {
        const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(kRowsAtOnce, shape_.m - row));
        emit_store(builder_, result_.c, {row, rows, line, lines}, 0, 0);
      }
    }
  }

  // ------------------------------------------------------------------------------------------------------- tiling
  OperandShape a_shape() const {
    return {shape_.m, shape_.k, !shape_.transpose_a, tiling_.rows, tiling_.k_blocks};
  }
  OperandShape b_shape() const {
    return {shape_.n, shape_.k, shape_.transpose_b, tiling_.strips * machine_.strip_lanes(), tiling_.k_blocks};
  }

  void choose_tiling() {
    const std::uint32_t strips = machine_.strips_of(shape_.n);
    const auto all_rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(divide_up(shape_.m, kLanes) * kLanes, kRowLimit));
    if (all_rows >= shape_.m && std::uint64_t{all_rows} * strips <= machine_.acc_rows) {
      tiling_.rows = all_rows;
      tiling_.strips = strips;
    } else {
      const std::uint32_t half = machine_.acc_rows / 2;
      tiling_.rows = std::min({all_rows, kFirstRows, round_down_to_lanes(half)});
      tiling_.strips = std::min(strips, half / tiling_.rows);
      tiling_.rows = std::min(all_rows, round_down_to_lanes(half / tiling_.strips));
    }
    tiling_.k_blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(kTileBlocks, divide_up(shape_.k, kLanes)));
    while (kTilesInFlight * (a_shape().tile_lines() + b_shape().tile_lines()) > machine_.ub_lines) shrink();
    tiling_.acc_sets = 2 * tiling_.rows * tiling_.strips <= machine_.acc_rows ? 2 : 1;
    choose_buffers();
  }

  void shrink() {
    if (tiling_.k_blocks > 1)
      tiling_.k_blocks /= 2;
    else if (tiling_.rows > kLanes && a_shape().tile_lines() >= b_shape().tile_lines())
      tiling_.rows = round_up(tiling_.rows / 2, kLanes);
    else if (tiling_.strips > 1)
      tiling_.strips = (tiling_.strips + 1) / 2;
    else
      throw CompileError("a matrix product needs a unified buffer of at least " +
                         std::to_string(kTilesInFlight * (a_shape().tile_lines() + b_shape().tile_lines())) +
                         " lines; enlarge ub_lines of the configuration");
  }

  // B's tiles stay for all blocks of rows, A's for all groups of columns, as far as there is room.
  void choose_buffers() {
    const std::uint32_t all_a = a_shape().outer_tiles() * a_shape().k_tiles();
    const std::uint32_t all_b = b_shape().outer_tiles() * b_shape().k_tiles();
    const std::uint32_t a_lines = a_shape().tile_lines();
    const std::uint32_t b_lines = b_shape().tile_lines();
    tiling_.b_tiles = std::min(all_b, b_shape().k_tiles() + kTilesInFlight - 1);
    if (std::uint64_t{tiling_.b_tiles} * b_lines > machine_.ub_lines - kTilesInFlight * a_lines)
      tiling_.b_tiles = std::min(all_b, kTilesInFlight);
    tiling_.a_tiles = std::min(all_a, (machine_.ub_lines - tiling_.b_tiles * b_lines) / a_lines);
  }

  // ------------------------------------------------------------------------------------------------------ product
  struct Step {
    std::uint32_t group = 0;  // of strips
    std::uint32_t block = 0;  // of rows
    std::uint32_t k_tile = 0;
  };

  void emit_product() {
    choose_tiling();
    StreamedOperand a(a_shape(), result_.a, shape_.transpose_a, 0, tiling_.a_tiles);
    StreamedOperand b(b_shape(), result_.b, shape_.transpose_b, tiling_.a_tiles * a_shape().tile_lines(), tiling_.b_tiles);
    std::vector<Step> steps;
    for (std::uint32_t group = 0; group < b_shape().outer_tiles(); ++group)
      for (std::uint32_t block = 0; block < a_shape().outer_tiles(); ++block)
        for (std::uint32_t k_tile = 0; k_tile < a_shape().k_tiles(); ++k_tile) steps.push_back({group, block, k_tile});

    auto a_tile = a.ask(steps[0].block, 0);
    auto b_tile = b.ask(steps[0].group, 0);
    for (std::uint32_t i = 0; i < tiling_.k_blocks; ++i) {
      b.load_block(builder_, b_tile, i);
      a.load_block(builder_, a_tile, i);
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      auto next_a = a_tile;
      auto next_b = b_tile;
      if (i + 1 < steps.size()) {
        next_b = b.ask(steps[i + 1].group, steps[i + 1].k_tile);
        if (next_b.missing) b.load(builder_, next_b);
        next_a = a.ask(steps[i + 1].block, steps[i + 1].k_tile);
        if (next_a.missing) a.load(builder_, next_a);
      }
      emit_step(steps[i], a_tile.matrix, b_tile.matrix, i == 0, i + 1 == steps.size());
      a_tile = next_a;
      b_tile = next_b;
    }
  }

  // One tile of A against one of B. The first step goes block by block of k, because they arrive that way.
  void emit_step(const Step& step, const BufferMatrix& a, const BufferMatrix& b, bool first, bool last) {
    const std::uint64_t row = std::uint64_t{step.block} * tiling_.rows;
    const std::uint64_t column = std::uint64_t{step.group} * tiling_.strips * machine_.strip_lanes();
    const std::uint64_t all_blocks = divide_up(shape_.k, kLanes);
    const std::uint64_t first_block = std::uint64_t{step.k_tile} * tiling_.k_blocks;
    const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(tiling_.k_blocks, all_blocks - first_block));
    const bool complete = first_block + blocks == all_blocks;
    const std::uint32_t k_tail = complete ? static_cast<std::uint32_t>(shape_.k - (all_blocks - 1) * kLanes) : kLanes;
    const std::uint32_t at_once = first ? 1 : blocks;
    const std::uint32_t set = (step.group * a_shape().outer_tiles() + step.block) % tiling_.acc_sets;

    for (std::uint32_t done = 0; done < blocks; done += at_once)
      for (std::uint32_t strip = 0; strip < tiling_.strips; ++strip) {
        const std::uint64_t strip_column = column + strip * machine_.strip_lanes();
        if (strip_column >= shape_.n) break;
        const bool last_strip = strip + 1 == tiling_.strips || strip_column + machine_.strip_lanes() >= shape_.n;
        const bool drains = complete && done + at_once == blocks;
        Contraction c;
        c.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(tiling_.rows, shape_.m - row));
        c.column = strip * machine_.strip_lanes();
        c.columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(machine_.strip_lanes(), shape_.n - strip_column));
        c.block_a = c.block_b = done;
        c.blocks = at_once;
        c.k_tail = done + at_once == blocks ? k_tail : kLanes;
        c.acc_row = (set * tiling_.strips + strip) * tiling_.rows;
        c.accumulate = step.k_tile > 0 || done > 0;
        emit_strip(a, b, c, row, strip_column, drains, last && last_strip && drains);
      }
  }

  // Contracts one strip and, when its sums are complete, stores it. The very last one goes in ever smaller pieces.
  void emit_strip(const BufferMatrix& a, const BufferMatrix& b, Contraction c, std::uint64_t row, std::uint64_t column,
                  bool drains, bool in_pieces) {
    const std::uint32_t end = c.rows;
    const std::uint32_t acc_row = c.acc_row;
    for (std::uint32_t done = 0; done < end; done += c.rows) {
      const std::uint32_t rest = end - done;
      c.row = done;
      c.acc_row = acc_row + done;
      c.rows = in_pieces && rest > kLastRows ? round_up(rest / 2, kLanes) : rest;
      emit_contraction(builder_, a, b, c);
      if (drains) store(row + done, c.rows, column, c.acc_row);
    }
  }

  void store(std::uint64_t row, std::uint32_t rows, std::uint64_t column, std::uint32_t acc_row) {
    for (std::uint32_t panel = 0; panel < machine_.strip_panels(); ++panel) {
      const std::uint64_t first = column + panel * kLanes;
      if (first >= shape_.n) break;
      const std::uint32_t lines = shape_.n - first > lanes_per_line(Format::fp32) ? 2 : 1;
      const auto line = static_cast<std::uint32_t>(first / lanes_per_line(Format::fp32));
      emit_store_accumulators(builder_, result_.c, {row, rows, line, lines}, machine_.acc_line(acc_row, panel));
    }
  }

  GemmShape shape_;
  Machine machine_;
  ProgramBuilder builder_;
  Tiling tiling_;
  GemmProgram result_;
};

}  // namespace

GemmProgram compile_gemm(const GemmShape& shape, const config::Config& config) {
  return GemmCompiler(shape, config).compile();
}

}  // namespace heddle::compiler
