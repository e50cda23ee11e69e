// A computation on matrices: what a model's training step or prediction is before it is compiled.
//
// Nodes are in an order in which they can be computed. Each has one result, a matrix of `rows` x `columns`; rows are
// samples or one. Graphs are values; nodes never change once added.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::graph {

using NodeId = std::uint32_t;

struct Shape {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  bool operator==(const Shape&) const = default;
};
std::string to_string(const Shape& shape);

enum class Op : std::uint8_t {
  input,                  // comes with the batch
  parameter,              // lives on the device
  matmul,                 // op(a) op(b)
  add_row,                // x + a row
  relu,                   // max(x, 0)
  add,                    // a + b
  softmax_cross_entropy,  // of logits and labels: the sum over the rows of -log softmax(row)[label]; 1 x 1
  correct_count,          // of logits and labels: rows whose first largest column is the label; 1 x 1
  relu_gradient,          // of dy and y = relu(x): y > 0 ? dy : 0
  softmax_gradient,       // of logits and labels: (softmax - onehot) / rows, the gradient of the mean loss
  row_sum,                // sum over the rows; 1 x columns
  sgd_update,             // of a parameter and its gradient: v = momentum * v + g; p = p - learning_rate * v
};
std::string_view to_string(Op op);

struct Node {
  Op op = Op::input;
  std::string name;
  Shape shape;
  std::vector<NodeId> inputs;
  bool transpose_a = false;  // matmul
  bool transpose_b = false;
  float momentum = 0;  // sgd_update
};

// Every function throws CompileError that names the operands when their shapes do not fit.
class Graph {
 public:
  NodeId input(std::string name, Shape shape);
  NodeId parameter(std::string name, Shape shape);
  NodeId matmul(NodeId a, NodeId b, bool transpose_a = false, bool transpose_b = false);
  NodeId add_row(NodeId x, NodeId row);
  NodeId relu(NodeId x);
  NodeId add(NodeId a, NodeId b);
  NodeId softmax_cross_entropy(NodeId logits, NodeId labels);
  NodeId correct_count(NodeId logits, NodeId labels);
  NodeId relu_gradient(NodeId dy, NodeId y);
  NodeId softmax_gradient(NodeId logits, NodeId labels);
  NodeId row_sum(NodeId x);
  NodeId sgd_update(NodeId parameter, NodeId gradient, float momentum);

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
  // Nodes that have `id` among their inputs, ascending.
  std::vector<NodeId> consumers(NodeId id) const;

 private:
  NodeId append(Op op, Shape shape, std::vector<NodeId> inputs);
  void require(bool fits, Op op, const std::vector<NodeId>& inputs, std::string_view rule) const;

  std::vector<Node> nodes_;
};

}  // namespace heddle::graph
