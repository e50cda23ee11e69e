#include "host/autodiff/gradient.h"

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"

namespace heddle::autodiff {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Op;

class Differentiator {
 public:
  explicit Differentiator(Graph& graph) : graph_(graph), gradient_(graph.size()), needed_(graph.size(), false) {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      needed_[id] = graph_[id].op == Op::parameter;
      for (const NodeId input : graph_[id].inputs) needed_[id] = needed_[id] || needed_[input];
    }
  }

  void run(NodeId loss, const std::function<void(NodeId, NodeId)>& on_parameter) {
    const Node& node = graph_[loss];
    if (node.op != Op::softmax_cross_entropy)
      throw CompileError("the loss has to be a softmax_cross_entropy, not " + std::string(to_string(node.op)));
    const std::vector<NodeId> inputs = node.inputs;  // the graph grows below
    if (needed_[inputs[0]]) gradient_[inputs[0]] = graph_.softmax_gradient(inputs[0], inputs[1]);
    for (NodeId id = loss; id-- > 0;) {
      if (!gradient_[id]) continue;
      if (graph_[id].op == Op::parameter)
        on_parameter(id, *gradient_[id]);
      else
        propagate(id, *gradient_[id]);
    }
  }

 private:
  void propagate(NodeId id, NodeId dy) {
    const Node node = graph_[id];
    switch (node.op) {
      case Op::matmul:
        return propagate_matmul(node, dy);
      case Op::add_row:
        accumulate(node.inputs[0], [&] { return dy; });
        accumulate(node.inputs[1], [&] { return graph_.row_sum(dy); });
        return;
      case Op::relu:
        accumulate(node.inputs[0], [&] { return graph_.relu_gradient(dy, id); });
        return;
      case Op::add:
        accumulate(node.inputs[0], [&] { return dy; });
        accumulate(node.inputs[1], [&] { return dy; });
        return;
      default:
        throw CompileError(node.name + ": " + std::string(to_string(node.op)) + " has no derivative");
    }
  }

  // C = op(A) op(B): dA = dC op(B)^T, dB = op(A)^T dC, turned once more where the operand was transposed.
  void propagate_matmul(const Node& node, NodeId dy) {
    const NodeId a = node.inputs[0];
    const NodeId b = node.inputs[1];
    accumulate(a, [&] {
      return node.transpose_a ? graph_.matmul(b, dy, node.transpose_b, true)
                              : graph_.matmul(dy, b, false, !node.transpose_b);
    });
    accumulate(b, [&] {
      return node.transpose_b ? graph_.matmul(dy, a, true, node.transpose_a)
                              : graph_.matmul(a, dy, !node.transpose_a, false);
    });
  }

  // Adds a contribution to the gradient of `id`, if that is needed at all.
  template <typename Make>
  void accumulate(NodeId id, Make make) {
    if (!needed_[id]) return;
    const NodeId contribution = make();
    gradient_[id] = gradient_[id] ? graph_.add(*gradient_[id], contribution) : contribution;
  }

  Graph& graph_;
  std::vector<std::optional<NodeId>> gradient_;  // of the nodes that were there at the start
  std::vector<bool> needed_;
};

}  // namespace

void differentiate(Graph& graph, NodeId loss, const std::function<void(NodeId, NodeId)>& on_parameter) {
  Differentiator(graph).run(loss, on_parameter);
}

}  // namespace heddle::autodiff
