// The kernels of a step: each emits the instructions of a few nodes of the graph at once.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "host/compiler/step_context.h"

namespace heddle::compiler {

// A matmul of activations by a parameter, with what the drain from the accumulators does to the sums.
struct DenseKernel {
  graph::NodeId matmul = 0;
  std::optional<graph::NodeId> bias;       // add_row's parameter
  std::optional<graph::NodeId> relu_mask;  // relu_gradient's y
  bool relu = false;
  graph::NodeId result = 0;  // the last node of the chain
  bool trains_bias = false;  // the bias will be updated in this step
};
// The result becomes an Activation.
void emit_dense(StepContext& context, const DenseKernel& kernel);
// The result becomes Logits.
void emit_dense_logits(StepContext& context, const DenseKernel& kernel);

// Softmax cross-entropy of one logits node: gradient, loss and count of right answers share its intermediate values.
class SoftmaxKernel {
 public:
  // Loads the labels. Call it before the logits are computed, so that they arrive meanwhile.
  SoftmaxKernel(StepContext& context, graph::NodeId logits, graph::NodeId labels);
  // Gives back the memory that it still has.
  ~SoftmaxKernel();
  SoftmaxKernel(const SoftmaxKernel&) = delete;
  SoftmaxKernel& operator=(const SoftmaxKernel&) = delete;
  void emit_gradient(const Activation& result);
  // Each writes one row of fp32 at `line`.
  void emit_loss(std::uint32_t line);
  void emit_correct(std::uint32_t line);

 private:
  std::uint32_t valid(std::uint32_t panel) const;
  PairMatrix pairs(std::uint32_t panels);
  void release(const PairMatrix& matrix);
  VectorOp op() const;
  const Logits& logits() const;
  VectorOp exponential(std::uint32_t panel) const;
  VectorOp once_a_row(isa::Vop::Func func, const PairMatrix& from, const PairMatrix& to) const;
  void need_largest();
  void need_exponentials();
  void need_sums();
  void need_distances();

  StepContext& context_;
  graph::NodeId logits_;
  std::uint32_t rows_;
  std::uint32_t classes_;
  std::uint32_t panels_;
  PairMatrix ranks_;
  PairMatrix labels_;                       // panel p: label - 32 * p
  std::optional<PairMatrix> targets_;       // onehot / rows, until the gradient is computed
  std::optional<PairMatrix> largest_;       // of the row
  std::optional<PairMatrix> exponentials_;  // exp(logit - largest), from the gradient's beginning to its end
  std::optional<PairMatrix> sum_;           // of exp(logit - largest)
  std::optional<PairMatrix> distances_;     // logit - largest
  std::set<std::uint32_t> owned_;           // first lines of what is allocated
};

// Updates a parameter by the product x^T dy, chunk by chunk of its rows: the array computes a chunk's gradient while
// the vector unit updates the one before.
struct MatrixUpdateKernel {
  graph::NodeId matmul = 0;
  graph::NodeId parameter = 0;
  float momentum = 0;
};
void emit_matrix_update(StepContext& context, const MatrixUpdateKernel& kernel);

// Updates a one-row parameter by the sum of dy's rows.
struct RowUpdateKernel {
  graph::NodeId dy = 0;
  graph::NodeId parameter = 0;
  float momentum = 0;
};
void emit_row_update(StepContext& context, const RowUpdateKernel& kernel);

}  // namespace heddle::compiler
