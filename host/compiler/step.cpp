#include "host/compiler/step.h"

#include <algorithm>
#include <memory>

#include "common/error.h"
#include "host/compiler/step_kernels.h"

namespace heddle::compiler {
namespace {

using graph::Node;
using graph::NodeId;
using graph::Op;

// Goes through the graph once and emits a kernel wherever a chain of nodes begins.
class StepCompiler {
 public:
  StepCompiler(const graph::Graph& graph, const StateLayout& state, const config::Config& config,
               std::optional<NodeId> output, MemoryUse use)
      : graph_(graph), context_(graph, state, config, use), output_(output), done_(graph.size(), false) {
    for (NodeId id = 0; id < graph.size(); ++id)
      users_left_.push_back(static_cast<std::uint32_t>(graph.consumers(id).size()));
  }

  StepProgram compile() {
    check_shapes();
    for (NodeId id = 0; id < graph_.size(); ++id)
      if (!done_[id]) visit(id);
    emit_metrics();
    store_output();
    context_.step.program = context_.builder.finish();
    return std::move(context_.step);
  }

 private:
  void check_shapes() const {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_[id];
      if (node.shape.rows == 0 || node.shape.columns == 0)
        throw CompileError(node.name + " is empty (" + to_string(node.shape) + "); every size has to be at least 1");
    }
  }

  void visit(NodeId id) {
    switch (graph_[id].op) {
      case Op::input:
        return visit_input(id);
      case Op::parameter:
        return mark_done(id);
      case Op::matmul:
        if (!is_gradient_of_parameter(id)) emit_dense_chain(id);
        return;
      case Op::row_sum:
        if (!is_gradient_of_parameter(id)) refuse(id, "is lowered as the gradient of a parameter only");
        return;
      case Op::softmax_cross_entropy:
      case Op::correct_count:
        metrics_.push_back(id);
        return;
      case Op::softmax_gradient:
        return emit_softmax_gradient(id);
      case Op::sgd_update:
        return emit_update(id);
      default:
        refuse(id, "is lowered directly after a matmul only");
    }
  }

  [[noreturn]] void refuse(NodeId id, const std::string& why) const {
    throw CompileError(graph_[id].name + ": " + std::string(to_string(graph_[id].op)) + " " + why);
  }

  std::optional<NodeId> only_consumer(NodeId id) const {
    const auto consumers = graph_.consumers(id);
    if (consumers.size() != 1 || id == output_) return std::nullopt;
    return consumers.front();
  }

  bool is_gradient_of_parameter(NodeId id) const {
    const auto consumer = only_consumer(id);
    return consumer && graph_[*consumer].op == Op::sgd_update;
  }

  static bool takes_logits(Op op) {
    return op == Op::softmax_cross_entropy || op == Op::correct_count || op == Op::softmax_gradient;
  }

  // ------------------------------------------------------------------------------------------------------- values
  // A batch: labels are placed by the softmax, the rest becomes an activation.
  void visit_input(NodeId id) {
    const auto consumers = graph_.consumers(id);
    const bool labels = std::all_of(consumers.begin(), consumers.end(), [&](NodeId consumer) {
      return takes_logits(graph_[consumer].op) && graph_[consumer].inputs[1] == id;
    });
    if (!labels) {
      Activation x = context_.new_activation(graph_[id]);
      x.arriving = true;
      x.source = context_.batch.place(graph_[id].shape.rows, graph_[id].shape.columns, Format::bf16, false);
      context_.step.inputs[graph_[id].name] = x.source;
      context_.activations[id] = x;
    }
    mark_done(id);
  }

  // Also gives back the memory of values that nobody will use any more.
  void mark_done(NodeId id) {
    done_[id] = true;
    for (const NodeId input : graph_[id].inputs)
      if (--users_left_[input] == 0) release(input);
  }

  void release(NodeId id) {
    const auto found = context_.activations.find(id);
    if (found == context_.activations.end()) return;
    context_.release(found->second.matrix.line);
    context_.activations.erase(found);
  }

  // ------------------------------------------------------------------------------------------------------ kernels
  void emit_dense_chain(NodeId id) {
    DenseKernel kernel;
    kernel.matmul = id;
    std::vector<NodeId> chain{id};
    for (auto next = only_consumer(id); next && extend(kernel, chain.back(), *next); next = only_consumer(*next))
      chain.push_back(*next);
    kernel.result = chain.back();
    if (const auto labels = labels_of(kernel.result)) {
      softmax_ = std::make_unique<SoftmaxKernel>(context_, kernel.result, *labels);
      logits_ = kernel.result;
    }
    if (logits_ == kernel.result || output_ == kernel.result)
      emit_dense_logits(context_, kernel);
    else
      emit_dense(context_, kernel);
    for (const NodeId node : chain) mark_done(node);
  }

  // Can the drain of the kernel also compute `next`?
  bool extend(DenseKernel& kernel, NodeId last, NodeId next) const {
    const Node& node = graph_[next];
    if (node.inputs[0] != last || kernel.relu || kernel.relu_mask) return false;
    if (node.op == Op::add_row && !kernel.bias && graph_[node.inputs[1]].op == Op::parameter) {
      kernel.bias = node.inputs[1];
      kernel.trains_bias = graph_.consumers(node.inputs[1]).size() > 1;
      return true;
    }
    if (node.op == Op::relu) return kernel.relu = true;
    if (node.op == Op::relu_gradient && !kernel.bias) {
      kernel.relu_mask = node.inputs[1];
      return true;
    }
    return false;
  }

  std::optional<NodeId> labels_of(NodeId logits) const {
    for (const NodeId consumer : graph_.consumers(logits)) {
      if (!takes_logits(graph_[consumer].op)) continue;
      if (logits_) refuse(consumer, "is lowered once in a program");
      return graph_[consumer].inputs[1];
    }
    return std::nullopt;
  }

  SoftmaxKernel& softmax_of(NodeId id) {
    if (!softmax_ || graph_[id].inputs[0] != *logits_) refuse(id, "is lowered of the result of a matmul only");
    return *softmax_;
  }

  void emit_softmax_gradient(NodeId id) {
    SoftmaxKernel& softmax = softmax_of(id);
    const Activation result = context_.new_activation(graph_[id]);
    softmax.emit_gradient(result);
    context_.activations[id] = result;
    mark_done(id);
  }

  // Metrics and one-row updates go into the background, because nothing waits for them: the vector unit computes them
  // between the chunks of the matrices' updates.
  void emit_update(NodeId id) {
    context_.later([&] { emit_metrics(); });
    const Node& update = graph_[id];
    const NodeId gradient = update.inputs[1];
    const Node& node = graph_[gradient];
    if (node.op == Op::matmul && is_gradient_of_parameter(gradient))
      emit_matrix_update(context_, {gradient, update.inputs[0], update.momentum});
    else if (node.op == Op::row_sum && is_gradient_of_parameter(gradient))
      context_.later([&] { emit_row_update(context_, {node.inputs[0], update.inputs[0], update.momentum}); });
    else
      refuse(id, "needs a gradient that is a matmul or a row_sum and has no other use");
    mark_done(gradient);
    mark_done(id);
  }

  // ------------------------------------------------------------------------------------------------------ results
  void emit_metrics() {
    if (metrics_.empty()) return;
    if (!context_.step.metrics) context_.step.metrics = context_.results.place(2, 16, Format::fp32, false);
    for (const NodeId id : metrics_) {
      SoftmaxKernel& softmax = softmax_of(id);
      const PairMatrix row = context_.new_pairs(1, 1, graph_[id].name);
      const bool is_loss = graph_[id].op == Op::softmax_cross_entropy;
      is_loss ? softmax.emit_loss(row.line) : softmax.emit_correct(row.line);
      emit_store(context_.builder, *context_.step.metrics, {is_loss ? kLossRow : kCorrectRow, 1, 0, 1}, row.line, 1);
      mark_done(id);
    }
    metrics_.clear();
    softmax_.reset();
  }

  void store_output() {
    if (!output_) return;
    const auto found = context_.logits.find(*output_);
    if (found == context_.logits.end())
      refuse(*output_, "cannot be stored: the output has to be the result of a matmul");
    const Node& node = graph_[*output_];
    const std::uint32_t lines = 2 * panels_of(node.shape.columns);
    context_.step.output = context_.results.place(node.shape.rows, node.shape.columns, Format::fp32, true);
    const PairMatrix& values = found->second.values;
    emit_store(context_.builder, *context_.step.output, {0, static_cast<std::uint32_t>(node.shape.rows), 0, lines},
               values.line, values.pitch);
  }

  const graph::Graph& graph_;
  StepContext context_;
  std::optional<NodeId> output_;
  std::vector<bool> done_;
  std::vector<std::uint32_t> users_left_;
  std::vector<NodeId> metrics_;  // seen but not emitted yet
  std::unique_ptr<SoftmaxKernel> softmax_;
  std::optional<NodeId> logits_;  // what softmax_ is of
};

}  // namespace

StepProgram compile_step(const graph::Graph& graph, const StateLayout& state, const config::Config& config,
                         std::optional<NodeId> output) {
  try {
    return StepCompiler(graph, state, config, output, MemoryUse::fast).compile();
  } catch (const CompileError&) {
    return StepCompiler(graph, state, config, output, MemoryUse::compact).compile();
  }
}

}  // namespace heddle::compiler
