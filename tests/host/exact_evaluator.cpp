#include "tests/host/exact_evaluator.h"

#include <array>
#include <bit>
#include <stdexcept>

#include "sim/numerics/functions.h"
#include "tests/reference/arithmetic.h"

namespace heddle::testing_support {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Op;

constexpr std::size_t kLanes = 32;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

std::vector<std::uint16_t> rounded(const Bits& values) {
  std::vector<std::uint16_t> result;
  for (const std::uint32_t v : values) result.push_back(plain::to_bf16(v));
  return result;
}

template <typename Element>
std::vector<Element> transposed(const std::vector<Element>& values, std::size_t rows, std::size_t columns) {
  std::vector<Element> result(values.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) result[j * rows + i] = values[i * columns + j];
  return result;
}

// v[l] + v[l + 16], then + 8, + 4, + 2, + 1, of at most 32 values; the others are +0.
std::uint32_t lane_sum(const Bits& values) {
  std::array<std::uint32_t, kLanes> v{};
  std::copy(values.begin(), values.end(), v.begin());
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) v[l] = plain::add(v[l], v[l + half]);
  return v[0];
}

std::uint32_t row_sum(const Bits& column) {
  std::array<std::uint32_t, 16> p{};
  for (std::size_t i = 0; i < column.size(); ++i) p[i % 16] = plain::add(p[i % 16], column[i]);
  for (std::size_t half = 8; half > 0; half /= 2)
    for (std::size_t j = 0; j < half; ++j) p[j] = plain::add(p[j], p[j + half]);
  return p[0];
}

// What the softmax needs of one row of logits.
struct RowSoftmax {
  Bits exponentials;
  std::uint32_t largest = 0;
  std::uint32_t sum = 0;

  explicit RowSoftmax(const Bits& logits) : largest(logits[0]) {
    for (const std::uint32_t z : logits) largest = plain::maximum(largest, z);
    for (const std::uint32_t z : logits) exponentials.push_back(numerics::exp_fp32(plain::subtract(z, largest)));
    for (std::size_t first = 0; first < logits.size(); first += kLanes) {
      const auto begin = exponentials.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = exponentials.begin() + static_cast<std::ptrdiff_t>(std::min(first + kLanes, logits.size()));
      const std::uint32_t part = lane_sum(Bits(begin, end));
      sum = first == 0 ? part : plain::add(sum, part);
    }
  }
};

class Evaluator {
 public:
  Evaluator(const Graph& graph, ExactState& state, const ExactBatch& batch, float learning_rate)
      : graph_(graph), state_(state), batch_(batch), learning_rate_(learning_rate), values_(graph.size()) {}

  std::vector<Bits> run() {
    for (NodeId id = 0; id < graph_.size(); ++id) values_[id] = compute(graph_[id]);
    return std::move(values_);
  }

 private:
  const Bits& input(const Node& node, std::size_t i) const { return values_[node.inputs[i]]; }
  const graph::Shape& input_shape(const Node& node, std::size_t i) const { return graph_[node.inputs[i]].shape; }
  Bits row(const Node& node, std::size_t i, std::size_t r) const {
    const std::size_t columns = input_shape(node, i).columns;
    const auto begin = input(node, i).begin() + static_cast<std::ptrdiff_t>(r * columns);
    return Bits(begin, begin + static_cast<std::ptrdiff_t>(columns));
  }

  Bits compute(const Node& node) {
    switch (node.op) {
      case Op::input:
        return compute_input(node);
      case Op::parameter:
        return state_.master.at(node.name);
      case Op::matmul:
        return compute_matmul(node);
      case Op::row_sum:
        return compute_row_sum(node);
      case Op::softmax_gradient:
        return softmax_gradient(node);
      case Op::softmax_cross_entropy:
        return {cross_entropy(node)};
      case Op::correct_count:
        return {plain::fp32_of(correct(node))};
      case Op::sgd_update:
        return update(node);
      default:
        return elementwise(node);
    }
  }

  Bits compute_input(const Node& node) const {
    Bits result;
    if (node.name == "labels")
      for (const std::uint32_t label : batch_.labels) result.push_back(bits(static_cast<float>(label)));
    else
      for (const std::uint16_t x : batch_.features) result.push_back(plain::read_bf16(x));
    return result;
  }

  Bits compute_matmul(const Node& node) const {
    auto a = rounded(input(node, 0));
    auto b = rounded(input(node, 1));
    const graph::Shape& x = input_shape(node, 0);
    const graph::Shape& y = input_shape(node, 1);
    if (node.transpose_a) a = transposed(a, x.rows, x.columns);
    if (node.transpose_b) b = transposed(b, y.rows, y.columns);
    return plain::gemm(a, b, node.shape.rows, node.shape.columns, node.transpose_a ? x.rows : x.columns);
  }

  Bits elementwise(const Node& node) const {
    Bits result(input(node, 0).size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::uint32_t x = input(node, 0)[i];
      switch (node.op) {
        case Op::add_row:
          result[i] = plain::add(x, input(node, 1)[i % node.shape.columns]);
          break;
        case Op::relu:
          result[i] = plain::relu(x);
          break;
        case Op::relu_gradient:
          result[i] = plain::is_greater(input(node, 1)[i], 0) ? x : 0;
          break;
        default:
          throw std::logic_error("the exact evaluator does not know " + node.name);
      }
    }
    return result;
  }

  Bits compute_row_sum(const Node& node) const {
    const auto values = rounded(input(node, 0));
    const graph::Shape& shape = input_shape(node, 0);
    Bits result;
    for (std::size_t j = 0; j < shape.columns; ++j) {
      Bits column;
      for (std::size_t i = 0; i < shape.rows; ++i) column.push_back(plain::read_bf16(values[i * shape.columns + j]));
      result.push_back(row_sum(column));
    }
    return result;
  }

  Bits softmax_gradient(const Node& node) const {
    const auto rows = static_cast<float>(node.shape.rows);
    Bits result;
    for (std::size_t i = 0; i < node.shape.rows; ++i) {
      const RowSoftmax softmax(row(node, 0, i));
      const std::uint32_t scale = numerics::reciprocal_fp32(plain::multiply(softmax.sum, bits(rows)));
      for (std::size_t j = 0; j < node.shape.columns; ++j) {
        const std::uint32_t target = batch_.labels[i] == j ? bits(1.0F / rows) : 0;
        result.push_back(plain::subtract(plain::multiply(softmax.exponentials[j], scale), target));
      }
    }
    return result;
  }

  std::uint32_t cross_entropy(const Node& node) const {
    Bits losses;
    for (std::size_t i = 0; i < input_shape(node, 0).rows; ++i) {
      const Bits logits = row(node, 0, i);
      const RowSoftmax softmax(logits);
      // Sums of zeros and one number: exact, but +0 where the number is -0.
      const std::uint32_t chosen = plain::add(plain::subtract(logits[batch_.labels[i]], softmax.largest), 0);
      losses.push_back(plain::subtract(numerics::log_fp32(softmax.sum), chosen));
    }
    return row_sum(losses);
  }

  int correct(const Node& node) const {
    int count = 0;
    for (std::size_t i = 0; i < input_shape(node, 0).rows; ++i) {
      const Bits logits = row(node, 0, i);
      std::size_t best = 0;
      for (std::size_t j = 1; j < logits.size(); ++j)
        if (plain::is_greater(logits[j], logits[best])) best = j;
      count += best == batch_.labels[i] ? 1 : 0;
    }
    return count;
  }

  Bits update(const Node& node) {
    Bits& w = state_.master.at(graph_[node.inputs[0]].name);
    Bits& v = state_.momentum[graph_[node.inputs[0]].name];
    v.resize(w.size(), 0);
    for (std::size_t i = 0; i < w.size(); ++i) {
      v[i] = plain::add(plain::multiply(v[i], bits(node.momentum)), input(node, 1)[i]);
      w[i] = plain::add(plain::multiply(v[i], bits(-learning_rate_)), w[i]);
    }
    return w;
  }

  const Graph& graph_;
  ExactState& state_;
  const ExactBatch& batch_;
  float learning_rate_;
  std::vector<Bits> values_;
};

}  // namespace

std::vector<Bits> evaluate_exactly(const Graph& graph, ExactState& state, const ExactBatch& batch,
                                   float learning_rate) {
  return Evaluator(graph, state, batch, learning_rate).run();
}

}  // namespace heddle::testing_support
