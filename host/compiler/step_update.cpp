#include <algorithm>
#include <deque>

#include "common/error.h"
#include "host/compiler/step_kernels.h"

namespace heddle::compiler {
namespace {

using Mul = isa::Vop::Mul;
using Add = isa::Vop::Add;

constexpr std::uint32_t kChunkRows = 64;      // of a parameter, updated at once
constexpr std::uint32_t kChunksInFlight = 3;  // one is loaded, one updated, one stored
constexpr std::uint32_t kAccSets = 4;

// momentum * v + gradient
VectorOp new_momentum(float momentum, std::uint32_t rows, VectorRows v, VectorRows gradient) {
  VectorOp op;
  op.rows = rows;
  op.a = v;
  op.mul = Mul::imm;
  op.imm_m = momentum;
  op.b = gradient;
  op.add = Add::b;
  op.d = v;
  return op;
}

// w - learning_rate * v
VectorOp new_weight(std::uint32_t rows, VectorRows w, VectorRows v) {
  VectorOp op;
  op.rows = rows;
  op.a = v;
  op.mul = Mul::imm;
  op.constant = Constant{ConstantName::learning_rate, ConstantField::imm_m, -1.0F};
  op.b = w;
  op.add = Add::b;
  op.d = w;
  return op;
}

// Rows of the parameter, some panels of them, while they are in the unified buffer.
struct Chunk {
  PairMatrix master;
  PairMatrix momentum;
  std::uint32_t copy = 0;  // bf16
  std::uint32_t copy_pitch = 1;
  std::uint64_t row = 0;
  std::uint32_t rows = 0;
  std::uint32_t panel = 0;  // the first one
  std::uint32_t panels = 0;
};

class MatrixUpdate {
 public:
  MatrixUpdate(StepContext& context, const MatrixUpdateKernel& kernel)
      : context_(context),
        kernel_(kernel),
        node_(context.graph[kernel.matmul]),
        layout_(context.state.find(context.graph[kernel.parameter].name)) {
    shape_ = {node_.shape.rows, node_.shape.columns, context.graph[node_.inputs[0]].shape.rows};
    choose_tiling();
    reserve_chunks();
  }

  void emit() {
    const OperandShape rows{shape_.m, shape_.k, !node_.transpose_a, tiling_.rows, tiling_.k_blocks};
    const OperandShape columns{shape_.n, shape_.k, node_.transpose_b, tiling_.strips * context_.machine.strip_lanes(),
                               tiling_.k_blocks};
    Operand a = Operand::resident(rows, operand(0, node_.transpose_a));
    Operand b = Operand::resident(columns, operand(1, node_.transpose_b));
    const std::uint32_t acc_row = context_.accumulators.allocate(tiling_.acc_rows(), node_.name);
    ProductHooks hooks;
    hooks.begin_block = [this] { load_next(); };
    hooks.drain = [this](const FinishedStrip& strip) { update(strip); };
    load_next();
    emit_product(context_.builder, shape_, tiling_, acc_row, a, b, hooks);
    context_.accumulators.release(acc_row);
    context_.release(region_);
  }

 private:
  BufferMatrix operand(std::size_t index, bool transposed) const {
    const auto found = context_.activations.find(node_.inputs[index]);
    if (found == context_.activations.end())
      throw CompileError(node_.name + ": a parameter's gradient has to be a product of activations");
    const BufferMatrix& matrix = found->second.matrix;
    return {matrix.line, matrix.pitch, transposed};
  }

  std::uint32_t chunk_panels() const { return tiling_.strips * context_.machine.strip_panels(); }
  std::uint32_t pairs_lines() const { return tiling_.rows * pair_pitch(chunk_panels()) + 2; }
  std::uint32_t chunk_lines() const {
    return round_up(2 * pairs_lines() + tiling_.rows * odd_pitch(chunk_panels()), 2);
  }

  void choose_tiling() {
    const Machine& machine = context_.machine;
    tiling_.rows = kChunkRows;
    tiling_.strips = machine.strips_of(shape_.n);
    tiling_.k_blocks = static_cast<std::uint32_t>(divide_up(shape_.k, kLanes));
    while (tiling_.rows * tiling_.strips * 2 > machine.acc_rows ||
           kChunksInFlight * chunk_lines() > context_.buffer.largest_gap()) {
      if (tiling_.strips > 1)
        tiling_.strips = (tiling_.strips + 1) / 2;
      else if (tiling_.rows > kLanes)
        tiling_.rows = kLanes;
      else
        break;  // reserve_chunks says what is missing
    }
    tiling_.acc_sets = std::clamp(machine.acc_rows / (tiling_.rows * tiling_.strips), 1U, kAccSets);
    for (std::uint64_t column = 0; column < shape_.n; column += chunk_panels() * kLanes)
      for (std::uint64_t row = 0; row < shape_.m; row += tiling_.rows) starts_.push_back({row, column});
  }

  void reserve_chunks() {
    region_ = context_.buffer.allocate(kChunksInFlight * chunk_lines(), "the update of " + layout_.name);
    for (std::uint32_t i = 0; i < kChunksInFlight; ++i) {
      Chunk chunk;
      chunk.master = {region_ + i * chunk_lines(), pair_pitch(chunk_panels())};
      chunk.momentum = {chunk.master.line + pairs_lines(), chunk.master.pitch};
      chunk.copy = chunk.momentum.line + pairs_lines();
      chunk.copy_pitch = odd_pitch(chunk_panels());
      free_.push_back(chunk);
    }
  }

  // Loads the chunk after the last one loaded, if there is one.
  void load_next() {
    if (starts_.empty()) return;
    const auto [row, column] = starts_.front();
    starts_.pop_front();
    Chunk chunk = free_.front();
    free_.pop_front();
    chunk.row = row;
    chunk.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(tiling_.rows, shape_.m - row));
    chunk.panel = static_cast<std::uint32_t>(column / kLanes);
    chunk.panels = std::min(chunk_panels(), panels_of(shape_.n) - chunk.panel);
    const Rectangle part{chunk.row, chunk.rows, 2 * chunk.panel, 2 * chunk.panels};
    emit_load(context_.builder, layout_.momentum, part, chunk.momentum.line, chunk.momentum.pitch);
    emit_load(context_.builder, layout_.master, part, chunk.master.line, chunk.master.pitch);
    loaded_.push_back(chunk);
  }

  // The update of a panel's weights needs its momentum: other panels' momentum goes between the two.
  void update(const FinishedStrip& strip) {
    Chunk& chunk = loaded_.front();
    for (std::uint32_t i = 0; i * kLanes < strip.columns; ++i) {
      const std::uint32_t panel = panel_of(strip, i) - chunk.panel;
      emit_vector(context_.builder, new_momentum(kernel_.momentum, strip.rows, chunk.momentum.panel(panel),
                                                 acc_rows(context_.machine.acc_line(strip.acc_row, i))));
      if (panel > 0) update_weights(chunk, panel - 1);
      context_.weave(1);
      if (panel + 1 == chunk.panels) {
        update_weights(chunk, panel);
        finish(chunk);
      }
    }
  }

  void update_weights(const Chunk& chunk, std::uint32_t panel) {
    VectorOp op = new_weight(chunk.rows, chunk.master.panel(panel), chunk.momentum.panel(panel));
    if (layout_.copy) op.copy = bf16_rows(chunk.copy + panel, chunk.copy_pitch);
    emit_vector(context_.builder, op);
  }

  void finish(const Chunk& chunk) {
    const Rectangle part{chunk.row, chunk.rows, 2 * chunk.panel, 2 * chunk.panels};
    emit_store(context_.builder, layout_.momentum, part, chunk.momentum.line, chunk.momentum.pitch);
    emit_store(context_.builder, layout_.master, part, chunk.master.line, chunk.master.pitch);
    if (layout_.copy)
      emit_store(context_.builder, *layout_.copy, {chunk.row, chunk.rows, chunk.panel, chunk.panels}, chunk.copy,
                 chunk.copy_pitch);
    free_.push_back(chunk);
    loaded_.pop_front();
  }

  StepContext& context_;
  MatrixUpdateKernel kernel_;
  const graph::Node& node_;
  const ParameterLayout& layout_;
  ProductShape shape_;
  ProductTiling tiling_;
  std::uint32_t region_ = 0;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> starts_;  // row and column of chunks that are not loaded yet
  std::deque<Chunk> free_;
  std::deque<Chunk> loaded_;  // in the order of their turn
};

}  // namespace

void emit_matrix_update(StepContext& context, const MatrixUpdateKernel& kernel) {
  MatrixUpdate(context, kernel).emit();
}

void emit_row_update(StepContext& context, const RowUpdateKernel& kernel) {
  const graph::Node& node = context.graph[kernel.parameter];
  const auto found = context.activations.find(kernel.dy);
  if (found == context.activations.end())
    throw CompileError(node.name + ": its gradient has to be the row sum of an activation's gradient");
  const BufferMatrix& dy = found->second.matrix;
  const RowParameter& row = context.row_parameter(kernel.parameter, true);
  const std::uint32_t panels = panels_of(node.shape.columns);
  const PairMatrix gradient = context.new_pairs(1, panels, "the gradient of " + node.name);
  for (std::uint32_t p = 0; p < panels; ++p) {
    VectorOp sum;
    sum.rows = static_cast<std::uint32_t>(context.graph[kernel.dy].shape.rows);
    sum.a = bf16_rows(dy.line + p, dy.pitch);
    sum.reduce = isa::Vop::Reduce::row_sum;
    sum.d = gradient.panel(p);
    emit_vector(context.builder, sum);
  }
  // The panels of one row are what VEC counts as rows.
  const VectorRows w = fp32_rows(row.master.line, 2);
  const VectorRows v = fp32_rows(row.momentum.line, 2);
  emit_vector(context.builder, new_momentum(kernel.momentum, panels, v, fp32_rows(gradient.line, 2)));
  emit_vector(context.builder, new_weight(panels, w, v));
  const ParameterLayout& layout = context.state.find(node.name);
  emit_store(context.builder, layout.momentum, {0, 1, 0, 2 * panels}, row.momentum.line, row.momentum.pitch);
  emit_store(context.builder, layout.master, {0, 1, 0, 2 * panels}, row.master.line, row.master.pitch);
  context.release(gradient.line);
}

}  // namespace heddle::compiler
