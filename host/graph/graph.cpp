#include "host/graph/graph.h"

#include <algorithm>
#include <utility>

#include "common/error.h"

namespace heddle::graph {

std::string to_string(const Shape& shape) { return std::to_string(shape.rows) + " x " + std::to_string(shape.columns); }

std::string_view to_string(Op op) {
  switch (op) {
    case Op::input:
      return "input";
    case Op::parameter:
      return "parameter";
    case Op::matmul:
      return "matmul";
    case Op::add_row:
      return "add_row";
    case Op::relu:
      return "relu";
    case Op::add:
      return "add";
    case Op::softmax_cross_entropy:
      return "softmax_cross_entropy";
    case Op::correct_count:
      return "correct_count";
    case Op::relu_gradient:
      return "relu_gradient";
    case Op::softmax_gradient:
      return "softmax_gradient";
    case Op::row_sum:
      return "row_sum";
    case Op::sgd_update:
      return "sgd_update";
  }
  return "?";
}

NodeId Graph::append(Op op, Shape shape, std::vector<NodeId> inputs) {
  Node node;
  node.op = op;
  node.shape = shape;
  node.inputs = std::move(inputs);
  node.name = std::string(to_string(op)) + "_" + std::to_string(nodes_.size());
  nodes_.push_back(std::move(node));
  return size() - 1;
}

void Graph::require(bool fits, Op op, const std::vector<NodeId>& inputs, std::string_view rule) const {
  if (fits) return;
  std::string message = std::string(to_string(op)) + " of ";
  for (std::size_t i = 0; i < inputs.size(); ++i)
    message += (i > 0 ? " and " : "") + nodes_[inputs[i]].name + " (" + to_string(nodes_[inputs[i]].shape) + ")";
  throw CompileError(message + ": " + std::string(rule));
}

NodeId Graph::input(std::string name, Shape shape) {
  const NodeId id = append(Op::input, shape, {});
  nodes_[id].name = std::move(name);
  return id;
}

NodeId Graph::parameter(std::string name, Shape shape) {
  const NodeId id = append(Op::parameter, shape, {});
  nodes_[id].name = std::move(name);
  return id;
}

NodeId Graph::matmul(NodeId a, NodeId b, bool transpose_a, bool transpose_b) {
  const Shape& x = nodes_[a].shape;
  const Shape& y = nodes_[b].shape;
  require((transpose_a ? x.rows : x.columns) == (transpose_b ? y.columns : y.rows), Op::matmul, {a, b},
          std::string("the inner sizes differ") + (transpose_a ? " (the first one is transposed)" : "") +
              (transpose_b ? " (the second one is transposed)" : ""));
  const Shape shape{transpose_a ? x.columns : x.rows, transpose_b ? y.rows : y.columns};
  const NodeId id = append(Op::matmul, shape, {a, b});
  nodes_[id].transpose_a = transpose_a;
  nodes_[id].transpose_b = transpose_b;
  return id;
}

NodeId Graph::add_row(NodeId x, NodeId row) {
  require(nodes_[row].shape == Shape{1, nodes_[x].shape.columns}, Op::add_row, {x, row},
          "the second one has to be one row as wide as the first one");
  return append(Op::add_row, nodes_[x].shape, {x, row});
}

NodeId Graph::relu(NodeId x) { return append(Op::relu, nodes_[x].shape, {x}); }

NodeId Graph::add(NodeId a, NodeId b) {
  require(nodes_[a].shape == nodes_[b].shape, Op::add, {a, b}, "the shapes differ");
  return append(Op::add, nodes_[a].shape, {a, b});
}

NodeId Graph::softmax_cross_entropy(NodeId logits, NodeId labels) {
  require(nodes_[labels].shape == Shape{nodes_[logits].shape.rows, 1}, Op::softmax_cross_entropy, {logits, labels},
          "there has to be one label for each row of logits");
  return append(Op::softmax_cross_entropy, {1, 1}, {logits, labels});
}

NodeId Graph::correct_count(NodeId logits, NodeId labels) {
  require(nodes_[labels].shape == Shape{nodes_[logits].shape.rows, 1}, Op::correct_count, {logits, labels},
          "there has to be one label for each row of logits");
  return append(Op::correct_count, {1, 1}, {logits, labels});
}

NodeId Graph::relu_gradient(NodeId dy, NodeId y) {
  require(nodes_[dy].shape == nodes_[y].shape, Op::relu_gradient, {dy, y}, "the shapes differ");
  return append(Op::relu_gradient, nodes_[y].shape, {dy, y});
}

NodeId Graph::softmax_gradient(NodeId logits, NodeId labels) {
  require(nodes_[labels].shape == Shape{nodes_[logits].shape.rows, 1}, Op::softmax_gradient, {logits, labels},
          "there has to be one label for each row of logits");
  return append(Op::softmax_gradient, nodes_[logits].shape, {logits, labels});
}

NodeId Graph::row_sum(NodeId x) { return append(Op::row_sum, {1, nodes_[x].shape.columns}, {x}); }

NodeId Graph::sgd_update(NodeId parameter, NodeId gradient, float momentum) {
  require(nodes_[parameter].op == Op::parameter, Op::sgd_update, {parameter, gradient},
          "the first one has to be a parameter");
  require(nodes_[parameter].shape == nodes_[gradient].shape, Op::sgd_update, {parameter, gradient},
          "the shapes differ");
  const NodeId id = append(Op::sgd_update, nodes_[parameter].shape, {parameter, gradient});
  nodes_[id].momentum = momentum;
  return id;
}

std::vector<NodeId> Graph::consumers(NodeId id) const {
  std::vector<NodeId> result;
  for (NodeId n = id + 1; n < size(); ++n)
    if (std::find(nodes_[n].inputs.begin(), nodes_[n].inputs.end(), id) != nodes_[n].inputs.end()) result.push_back(n);
  return result;
}

}  // namespace heddle::graph
