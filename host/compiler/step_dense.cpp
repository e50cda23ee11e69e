#include <algorithm>

#include "common/error.h"
#include "host/compiler/step_kernels.h"

namespace heddle::compiler {
namespace {

constexpr std::uint32_t kTileBlocks = 4;
constexpr std::uint32_t kTilesInFlight = 3;

ProductShape product_shape(const graph::Graph& graph, const graph::Node& node) {
  const graph::Shape& x = graph[node.inputs[0]].shape;
  return {node.shape.rows, node.shape.columns, x.columns};
}

// The stationary operand: the parameter's bf16 copy. Chooses the tiles of k.
class Weights {
 public:
  Weights(StepContext& context, const graph::Node& node, const ProductShape& shape, ProductTiling& tiling)
      : context_(context), parameter_(node.inputs[1]), kept_(context.kept_weights(node.inputs[1])) {
    const std::string& name = context.graph[node.inputs[1]].name;
    tiling.k_blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(kTileBlocks, divide_up(shape.k, kLanes)));
    for (;;) {
      shape_ = {shape.n, shape.k, node.transpose_b, tiling.strips * context.machine.strip_lanes(), tiling.k_blocks};
      if (kept_ != nullptr) return;
      tensor_ = *context.state.find(name).copy;
      buffers_ = std::min(kTilesInFlight, shape_.outer_tiles() * shape_.k_tiles());
      const std::uint32_t lines = buffers_ * shape_.tile_lines();
      const bool smallest = tiling.k_blocks == 1 && tiling.strips == 1;
      const auto line =
          smallest ? context.buffer.allocate(lines, "the weights " + name) : context.buffer.try_allocate(lines);
      if (line) {
        line_ = *line;
        return;
      }
      (tiling.k_blocks > 1 ? tiling.k_blocks : tiling.strips) /= 2;
    }
  }

  Operand operand(bool transposed) {
    if (kept_ == nullptr) return Operand::streamed(shape_, tensor_, transposed, line_, buffers_);
    const BufferMatrix whole{kept_->matrix.line, kept_->matrix.pitch, transposed};
    return kept_->arriving ? Operand::arriving(shape_, whole, kept_->source) : Operand::resident(shape_, whole);
  }

  void done() {
    if (kept_ != nullptr)
      context_.used_kept_weights(parameter_);
    else
      context_.release(line_);
  }

 private:
  StepContext& context_;
  graph::NodeId parameter_;
  Activation* kept_;
  OperandShape shape_;
  DeviceTensor tensor_;
  std::uint32_t line_ = 0;
  std::uint32_t buffers_ = 0;
};

// `begin` is called once the loads that let the array start are emitted.
void emit_dense_product(StepContext& context, const DenseKernel& kernel, const std::function<void()>& begin,
                        const std::function<void(const FinishedStrip&)>& drain) {
  const graph::Node& node = context.graph[kernel.matmul];
  const auto found = context.activations.find(node.inputs[0]);
  if (found == context.activations.end() || node.transpose_a ||
      context.graph[node.inputs[1]].op != graph::Op::parameter)
    throw CompileError(node.name + ": the compiler multiplies activations by a parameter only, in this order");
  Activation& x = found->second;
  const ProductShape shape = product_shape(context.graph, node);
  ProductTiling tiling = cut_rows_and_strips(context.machine, shape.m, shape.n);
  Weights weights(context, node, shape, tiling);
  const OperandShape rows{shape.m, shape.k, true, tiling.rows, tiling.k_blocks};
  Operand a = x.arriving ? Operand::arriving(rows, x.matrix, x.source) : Operand::resident(rows, x.matrix);
  Operand b = weights.operand(node.transpose_b);
  const std::uint32_t acc_row = context.accumulators.allocate(tiling.acc_rows(), node.name);
  emit_product(context.builder, shape, tiling, acc_row, a, b, {.drain = drain, .begin_block = begin});
  x.arriving = false;
  weights.done();
  context.accumulators.release(acc_row);
}

// What every drain begins with: the panel's sums, plus the bias.
VectorOp sums(StepContext& context, const RowParameter* bias, const FinishedStrip& strip, std::uint32_t panel) {
  VectorOp op;
  op.rows = strip.rows;
  op.a = acc_rows(context.machine.acc_line(strip.acc_row, panel));
  if (bias != nullptr) {
    op.b = bias->master.repeated(panel_of(strip, panel));
    op.add = isa::Vop::Add::b;
  }
  return op;
}

const RowParameter* bias_of(StepContext& context, const DenseKernel& kernel) {
  return kernel.bias ? &context.row_parameter(*kernel.bias, kernel.trains_bias) : nullptr;
}

VectorRows panel_rows(const BufferMatrix& matrix, const FinishedStrip& strip, std::uint32_t panel) {
  return bf16_rows(matrix.line + static_cast<std::uint32_t>(strip.row) * matrix.pitch + panel_of(strip, panel),
                   matrix.pitch);
}

}  // namespace

void emit_dense(StepContext& context, const DenseKernel& kernel) {
  const RowParameter* bias = nullptr;
  const Activation result = context.new_activation(context.graph[kernel.result]);
  const auto begin = [&] { bias = bias_of(context, kernel); };
  emit_dense_product(context, kernel, begin, [&](const FinishedStrip& strip) {
    for (std::uint32_t panel = 0; panel * kLanes < strip.columns; ++panel) {
      VectorOp op = sums(context, bias, strip, panel);
      if (kernel.relu) op.func = isa::Vop::Func::relu;
      if (kernel.relu_mask) {
        op.mul = isa::Vop::Mul::mask_positive;
        op.b = panel_rows(context.activations.at(*kernel.relu_mask).matrix, strip, panel);
      }
      op.d = panel_rows(result.matrix, strip, panel);
      emit_vector(context.builder, op);
    }
  });
  context.activations[kernel.result] = result;
}

void emit_dense_logits(StepContext& context, const DenseKernel& kernel) {
  const graph::Node& node = context.graph[kernel.result];
  const RowParameter* bias = nullptr;
  const auto begin = [&] { bias = bias_of(context, kernel); };
  const std::uint32_t panels = panels_of(node.shape.columns);
  Logits logits;
  logits.values = context.new_pairs(node.shape.rows, panels, node.name);
  logits.maxima = context.new_pairs(node.shape.rows, panels, node.name);
  emit_dense_product(context, kernel, begin, [&](const FinishedStrip& strip) {
    for (std::uint32_t panel = 0; panel * kLanes < strip.columns; ++panel) {
      VectorOp op = sums(context, bias, strip, panel);
      if (kernel.relu) op.func = isa::Vop::Func::relu;
      op.lanes = std::min(kLanes, strip.columns - panel * kLanes);
      VectorOp maximum = op;
      maximum.reduce = isa::Vop::Reduce::lane_max;
      maximum.d = logits.maxima.panel(panel_of(strip, panel), strip.row);
      emit_vector(context.builder, maximum);
      op.d = logits.values.panel(panel_of(strip, panel), strip.row);
      emit_vector(context.builder, op);
    }
  });
  context.logits[kernel.result] = logits;
}

}  // namespace heddle::compiler
