#include <algorithm>

#include "common/error.h"
#include "host/compiler/step_kernels.h"

namespace heddle::compiler {

using Mul = isa::Vop::Mul;
using Add = isa::Vop::Add;
using Func = isa::Vop::Func;
using Reduce = isa::Vop::Reduce;

namespace {

constexpr float kSmallestNormal = 0x1p-126F;

}  // namespace

SoftmaxKernel::SoftmaxKernel(StepContext& context, graph::NodeId logits, graph::NodeId labels)
    : context_(context), logits_(logits) {
  const graph::Node& node = context.graph[logits];
  const graph::Node& label_node = context.graph[labels];
  if (label_node.op != graph::Op::input) throw CompileError(label_node.name + ": labels have to be an input");
  rows_ = static_cast<std::uint32_t>(node.shape.rows);
  classes_ = static_cast<std::uint32_t>(node.shape.columns);
  panels_ = panels_of(classes_);

  const DeviceTensor tensor = context.batch.place(rows_, kLanes, Format::fp32, true);
  context.step.inputs[label_node.name] = tensor;
  labels_ = pairs(panels_);
  emit_load(context.builder, tensor, {0, rows_, 0, 2}, labels_.line, labels_.pitch);
  if (context.state.classes > 0) {
    ranks_ = context.new_pairs(1, panels_, "the ranks of the classes");
    emit_load(context.builder, context.state.class_ranks, {0, 1, 0, 2 * panels_}, ranks_.line, ranks_.pitch);
  }

  targets_ = pairs(panels_);
  for (std::uint32_t p = 0; p < panels_; ++p) {
    if (p > 0) {
      VectorOp shift = op();
      shift.a = labels_.panel(0);
      shift.add = Add::imm;
      shift.imm_a = -static_cast<float>(kLanes * p);
      shift.d = labels_.panel(p);
      emit_vector(context.builder, shift);
    }
    VectorOp onehot = op();
    onehot.a = immediate();
    onehot.imm_m = 1.0F / static_cast<float>(rows_);
    onehot.mul = Mul::lane_equal;
    onehot.b = labels_.panel(p);
    onehot.d = targets_->panel(p);
    emit_vector(context.builder, onehot);
  }
}

std::uint32_t SoftmaxKernel::valid(std::uint32_t panel) const { return std::min(kLanes, classes_ - kLanes * panel); }

PairMatrix SoftmaxKernel::pairs(std::uint32_t panels) {
  const PairMatrix matrix = context_.new_pairs(rows_, panels, "the softmax of " + context_.graph[logits_].name);
  owned_.insert(matrix.line);
  return matrix;
}

void SoftmaxKernel::release(const PairMatrix& matrix) {
  owned_.erase(matrix.line);
  context_.release(matrix.line);
}

SoftmaxKernel::~SoftmaxKernel() {
  for (const std::uint32_t line : owned_) context_.release(line);
}

VectorOp SoftmaxKernel::op() const {
  VectorOp op;
  op.rows = rows_;
  return op;
}

const Logits& SoftmaxKernel::logits() const { return context_.logits.at(logits_); }

// The largest logit of a row, over its panels.
void SoftmaxKernel::need_largest() {
  if (largest_) return;
  largest_ = logits().maxima;
  if (panels_ > 1) largest_ = pairs(1);
  for (std::uint32_t p = 1; p < panels_; ++p) {
    VectorOp larger = op();
    larger.a = p == 1 ? logits().maxima.panel(0) : largest_->panel(0);
    larger.b = logits().maxima.panel(p);
    larger.add = Add::max_b;
    larger.d = largest_->panel(0);
    emit_vector(context_.builder, larger);
  }
}

// exp(logit - largest) of a panel; the caller says where it goes.
VectorOp SoftmaxKernel::exponential(std::uint32_t panel) const {
  VectorOp exponential = op();
  exponential.a = logits().values.panel(panel);
  exponential.b = largest_->panel(0);
  exponential.add = Add::sub_b;
  exponential.func = Func::exp;
  exponential.lanes = valid(panel);
  return exponential;
}

void SoftmaxKernel::need_exponentials() {
  if (exponentials_) return;
  need_largest();
  exponentials_ = pairs(panels_);
  for (std::uint32_t p = 0; p < panels_; ++p) {
    VectorOp kept = exponential(p);
    kept.d = exponentials_->panel(p);
    emit_vector(context_.builder, kept);
  }
}

// Sum over panels, ascending, of the panel's sum of exponentials, which are computed in passing where they are not
// kept.
void SoftmaxKernel::need_sums() {
  if (sum_) return;
  need_largest();
  const PairMatrix parts = pairs(panels_);
  sum_ = panels_ > 1 ? pairs(1) : parts;
  for (std::uint32_t p = 0; p < panels_; ++p) {
    VectorOp part = exponentials_ ? op() : exponential(p);
    if (exponentials_) part.a = exponentials_->panel(p);
    part.reduce = Reduce::lane_sum;
    part.lanes = valid(p);
    part.d = parts.panel(p);
    emit_vector(context_.builder, part);
  }
  for (std::uint32_t p = 1; p < panels_; ++p) {
    VectorOp add = op();
    add.a = p == 1 ? parts.panel(0) : sum_->panel(0);
    add.b = parts.panel(p);
    add.add = Add::b;
    add.d = sum_->panel(0);
    emit_vector(context_.builder, add);
  }
}

// A function of a value that all lanes share: computed in lane 0, where it costs least, then given to every lane.
VectorOp SoftmaxKernel::once_a_row(Func func, const PairMatrix& from, const PairMatrix& to) const {
  VectorOp once = op();
  once.a = from.panel(0);
  once.func = func;
  once.lanes = 1;
  once.reduce = Reduce::lane_sum;
  once.d = to.panel(0);
  return once;
}

// (exp(logit - largest) * (1 / (sum * rows))) - onehot / rows, as bf16.
void SoftmaxKernel::emit_gradient(const Activation& result) {
  need_exponentials();
  need_sums();
  const PairMatrix exponentials = *exponentials_;
  const PairMatrix scale = pairs(1);
  VectorOp reciprocal = once_a_row(Func::reciprocal, *sum_, scale);
  reciprocal.mul = Mul::imm;
  reciprocal.imm_m = static_cast<float>(rows_);
  emit_vector(context_.builder, reciprocal);
  for (std::uint32_t p = 0; p < panels_; ++p) {
    VectorOp probability = op();
    probability.a = exponentials.panel(p);
    probability.b = scale.panel(0);
    probability.mul = Mul::b;
    probability.d = exponentials.panel(p);
    emit_vector(context_.builder, probability);
  }
  for (std::uint32_t p = 0; p < panels_; ++p) {
    VectorOp gradient = op();
    gradient.a = exponentials.panel(p);
    gradient.b = targets_->panel(p);
    gradient.add = Add::sub_b;
    gradient.d = bf16_rows(result.matrix.line + p, result.matrix.pitch);
    emit_vector(context_.builder, gradient);
  }
  release(exponentials);
  exponentials_.reset();
  release(scale);
  release(*targets_);
}

void SoftmaxKernel::need_distances() {
  need_sums();
  if (distances_) return;
  distances_ = pairs(panels_);
  for (std::uint32_t p = 0; p < panels_; ++p) {
    VectorOp distance = op();
    distance.a = logits().values.panel(p);
    distance.b = largest_->panel(0);
    distance.add = Add::sub_b;
    distance.d = distances_->panel(p);
    emit_vector(context_.builder, distance);
  }
}

// Sum over the rows of log(sum) - (logit[label] - largest).
void SoftmaxKernel::emit_loss(std::uint32_t line) {
  need_distances();
  const PairMatrix logarithm = pairs(1);
  emit_vector(context_.builder, once_a_row(Func::log, *sum_, logarithm));

  const PairMatrix parts = pairs(panels_);
  for (std::uint32_t p = 0; p < panels_; ++p) {
    VectorOp chosen = op();
    chosen.a = distances_->panel(p);
    chosen.b = labels_.panel(p);
    chosen.mul = Mul::lane_equal;
    chosen.reduce = Reduce::lane_sum;
    chosen.lanes = valid(p);
    chosen.d = parts.panel(p);
    emit_vector(context_.builder, chosen);
  }
  // All parts but one are zero.
  for (std::uint32_t p = 1; p < panels_; ++p) {
    VectorOp add = op();
    add.a = parts.panel(p);
    add.b = parts.panel(0);
    add.add = Add::b;
    add.d = parts.panel(0);
    emit_vector(context_.builder, add);
  }
  VectorOp total = op();
  total.a = logarithm.panel(0);
  total.b = parts.panel(0);
  total.add = Add::sub_b;
  total.reduce = Reduce::row_sum;
  total.d = fp32_rows(line, 2);
  emit_vector(context_.builder, total);
  release(logarithm);
  release(parts);
}

// A lane that holds the largest logit has distance 0: there distance + 2^-126 is positive, and nowhere else. The best
// rank of those lanes, classes - c, belongs to the first one; rank + label - classes = 0 says that it is the label.
void SoftmaxKernel::emit_correct(std::uint32_t line) {
  need_distances();
  const PairMatrix is_largest = pairs(panels_);
  for (std::uint32_t p = 0; p < panels_; ++p) {
    VectorOp mark = op();
    mark.a = distances_->panel(p);
    mark.add = Add::imm;
    mark.imm_a = kSmallestNormal;
    mark.d = is_largest.panel(p);
    emit_vector(context_.builder, mark);
  }
  const PairMatrix rank = pairs(panels_);
  for (std::uint32_t p = 0; p < panels_; ++p) {
    VectorOp best = op();
    best.a = ranks_.repeated(p);
    best.b = is_largest.panel(p);
    best.mul = Mul::mask_positive;
    best.reduce = Reduce::lane_max;
    best.lanes = valid(p);
    best.d = rank.panel(p);
    emit_vector(context_.builder, best);
  }
  for (std::uint32_t p = 1; p < panels_; ++p) {
    VectorOp better = op();
    better.a = rank.panel(p);
    better.b = rank.panel(0);
    better.add = Add::max_b;
    better.d = rank.panel(0);
    emit_vector(context_.builder, better);
  }
  VectorOp with_label = op();
  with_label.a = rank.panel(0);
  with_label.b = labels_.panel(0);
  with_label.add = Add::b;
  with_label.d = rank.panel(0);
  emit_vector(context_.builder, with_label);

  VectorOp difference = op();
  difference.a = rank.panel(0);
  difference.add = Add::imm;
  difference.imm_a = -static_cast<float>(classes_);
  difference.d = rank.panel(0);
  emit_vector(context_.builder, difference);

  VectorOp count = op();
  count.a = immediate();
  count.imm_m = 1;
  count.b = rank.panel(0);
  count.mul = Mul::lane_equal;
  count.reduce = Reduce::row_sum;
  count.d = fp32_rows(line, 2);
  emit_vector(context_.builder, count);
  release(is_largest);
  release(rank);
}

}  // namespace heddle::compiler
