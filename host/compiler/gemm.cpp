#include "host/compiler/gemm.h"

#include <algorithm>

#include "common/error.h"
#include "host/compiler/product.h"

namespace heddle::compiler {
namespace {

constexpr std::uint32_t kTileBlocks = 4;     // blocks of k in a tile: bursts of 256 bytes and longer
constexpr std::uint32_t kTilesInFlight = 3;  // one in use, one being loaded, one being freed
constexpr std::uint32_t kLinesPerBand = 8;   // what is worth a port of its own
constexpr std::uint32_t kBandLimit = 4;
// The tensors' slots start at different ports.
constexpr std::uint32_t kSlotA = 0;
constexpr std::uint32_t kSlotB = 6;
constexpr std::uint32_t kSlotC = 10;

class GemmCompiler {
 public:
  GemmCompiler(const GemmShape& shape, const config::Config& config)
      : shape_(shape), machine_(config), builder_(machine_) {
    result_.a =
        place(kSlotA, shape.transpose_a ? shape.k : shape.m, shape.transpose_a ? shape.m : shape.k, Format::bf16);
    result_.b =
        place(kSlotB, shape.transpose_b ? shape.n : shape.k, shape.transpose_b ? shape.k : shape.n, Format::bf16);
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

  // The empty sum: zeros, stored everywhere. What a slot holds of C is one piece of memory, padding included, so that
  // bursts are long; slots begin at different lines of zeros, so that their ports read from different banks.
  void emit_zeros() {
    constexpr std::uint32_t kLimit = 4095;  // of n0 and n1
    const auto zeros =
        static_cast<std::uint32_t>(std::min<std::uint64_t>({kLimit, machine_.ub_lines / 2, lines_of_c(0)}));
    isa::Load fill;
    fill.fill = 1;
    for (fill.buf_line = 0; fill.buf_line < zeros + result_.c.bands; fill.buf_line += fill.n0) {
      fill.n0 = std::min(kLimit, zeros + result_.c.bands - fill.buf_line);
      builder_.load(fill);
    }
    for (std::uint64_t line = 0; line < lines_of_c(0);) {
      const std::uint64_t times = std::clamp<std::uint64_t>((lines_of_c(0) - line) / zeros, 1, kLimit);
      for (std::uint32_t band = 0; band < result_.c.bands; ++band) store_zeros(band, line, times * zeros, zeros);
      line += times * zeros;
    }
  }

  std::uint64_t lines_of_c(std::uint32_t band) const { return result_.c.band_rows(band) * result_.c.row_lines; }

  // The band's lines from `line` on, `count` at most: `zeros` at a time, then the rest.
  void store_zeros(std::uint32_t band, std::uint64_t line, std::uint64_t count, std::uint32_t zeros) {
    if (line >= lines_of_c(band)) return;
    count = std::min(count, lines_of_c(band) - line);
    isa::Store store;
    store.slot = result_.c.slot + band;
    store.buf_line = band;
    store.mem_line = static_cast<std::uint32_t>(result_.c.line + line);
    store.n0 = zeros;
    store.n1 = static_cast<std::uint32_t>(count / zeros);
    store.mem_stride1 = zeros;
    if (store.n1 > 0) builder_.store(store);
    store.mem_line += store.n1 * zeros;
    store.n0 = static_cast<std::uint32_t>(count % zeros);
    store.n1 = 1;
    if (store.n0 > 0) builder_.store(store);
  }

  // ------------------------------------------------------------------------------------------------------- tiling
  OperandShape a_shape() const { return {shape_.m, shape_.k, !shape_.transpose_a, tiling_.rows, tiling_.k_blocks}; }
  OperandShape b_shape() const {
    return {shape_.n, shape_.k, shape_.transpose_b, tiling_.strips * machine_.strip_lanes(), tiling_.k_blocks};
  }

  void choose_tiling() {
    tiling_ = cut_rows_and_strips(machine_, shape_.m, shape_.n);
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
    b_tiles_ = std::min(all_b, b_shape().k_tiles() + kTilesInFlight - 1);
    if (std::uint64_t{b_tiles_} * b_lines > machine_.ub_lines - kTilesInFlight * a_lines)
      b_tiles_ = std::min(all_b, kTilesInFlight);
    a_tiles_ = std::min(all_a, (machine_.ub_lines - b_tiles_ * b_lines) / a_lines);
  }

  // ------------------------------------------------------------------------------------------------------ product
  void emit_product() {
    choose_tiling();
    Operand a = Operand::streamed(a_shape(), result_.a, shape_.transpose_a, 0, a_tiles_);
    Operand b =
        Operand::streamed(b_shape(), result_.b, shape_.transpose_b, a_tiles_ * a_shape().tile_lines(), b_tiles_);
    ProductHooks hooks;
    hooks.end_in_pieces = true;
    hooks.drain = [this](const FinishedStrip& strip) { store(strip); };
    compiler::emit_product(builder_, {shape_.m, shape_.n, shape_.k}, tiling_, 0, a, b, hooks);
  }

  void store(const FinishedStrip& strip) {
    for (std::uint32_t panel = 0; panel * kLanes < strip.columns; ++panel) {
      const std::uint32_t lines = strip.columns - panel * kLanes > lanes_per_line(Format::fp32) ? 2 : 1;
      const auto line = static_cast<std::uint32_t>(strip.column / lanes_per_line(Format::fp32)) + 2 * panel;
      emit_store_accumulators(builder_, result_.c, {strip.row, strip.rows, line, lines},
                              machine_.acc_line(strip.acc_row, panel));
    }
  }

  GemmShape shape_;
  Machine machine_;
  ProgramBuilder builder_;
  ProductTiling tiling_;
  std::uint32_t a_tiles_ = 0;  // buffers
  std::uint32_t b_tiles_ = 0;
  GemmProgram result_;
};

}  // namespace

GemmProgram compile_gemm(const GemmShape& shape, const config::Config& config) {
  return GemmCompiler(shape, config).compile();
}

}  // namespace heddle::compiler
