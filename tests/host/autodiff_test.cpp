// Gradients that autodiff writes against finite differences of the loss, both in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "common/error.h"
#include "host/autodiff/gradient.h"
#include "host/data/random.h"

namespace heddle::autodiff {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Op;
using Matrix = std::vector<double>;

// The mathematics of each op, in double.
class Evaluator {
 public:
  Evaluator(const Graph& g, const std::map<NodeId, Matrix>& given) : g_(g), values_(g.size()) {
    for (NodeId id = 0; id < g.size(); ++id) {
      const auto found = given.find(id);
      values_[id] = found != given.end() ? found->second : compute(g[id]);
    }
  }
  const Matrix& operator[](NodeId id) const { return values_[id]; }

 private:
  double at(NodeId id, bool transposed, std::uint64_t i, std::uint64_t j) const {
    return values_[id][transposed ? j * g_[id].shape.columns + i : i * g_[id].shape.columns + j];
  }

  Matrix compute(const Node& n) const {
    const auto [rows, columns] = n.shape;
    Matrix r(rows * columns, 0);
    const auto in = [&](std::size_t i) -> const Matrix& { return values_[n.inputs[i]]; };
    switch (n.op) {
      case Op::matmul: {
        const auto& a = g_[n.inputs[0]].shape;
        const std::uint64_t inner = n.transpose_a ? a.rows : a.columns;
        for (std::uint64_t i = 0; i < rows; ++i)
          for (std::uint64_t j = 0; j < columns; ++j)
            for (std::uint64_t k = 0; k < inner; ++k)
              r[i * columns + j] += at(n.inputs[0], n.transpose_a, i, k) * at(n.inputs[1], n.transpose_b, k, j);
        break;
      }
      case Op::add_row:
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = in(0)[i] + in(1)[i % columns];
        break;
      case Op::add:
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = in(0)[i] + in(1)[i];
        break;
      case Op::relu:
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::max(in(0)[i], 0.0);
        break;
      case Op::relu_gradient:
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = in(1)[i] > 0 ? in(0)[i] : 0;
        break;
      case Op::row_sum:
        for (std::size_t i = 0; i < in(0).size(); ++i) r[i % columns] += in(0)[i];
        break;
      case Op::softmax_cross_entropy:
      case Op::softmax_gradient:
        softmax(n, r);
        break;
      default:
        ADD_FAILURE() << "no value for " << n.name;
    }
    return r;
  }

  void softmax(const Node& n, Matrix& r) const {
    const auto [rows, columns] = g_[n.inputs[0]].shape;
    for (std::uint64_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::uint64_t j = 0; j < columns; ++j) sum += std::exp(values_[n.inputs[0]][i * columns + j]);
      const auto label = static_cast<std::uint64_t>(values_[n.inputs[1]][i]);
      if (n.op == Op::softmax_cross_entropy) {
        r[0] += std::log(sum) - values_[n.inputs[0]][i * columns + label];
        continue;
      }
      for (std::uint64_t j = 0; j < columns; ++j)
        r[i * columns + j] =
            (std::exp(values_[n.inputs[0]][i * columns + j]) / sum - (j == label ? 1 : 0)) / static_cast<double>(rows);
    }
  }

  const Graph& g_;
  std::vector<Matrix> values_;
};

// Every element of every parameter, against (loss(p + h) - loss(p - h)) / 2h.
void expect_gradients(Graph graph, NodeId loss, std::map<NodeId, Matrix> given) {
  std::map<NodeId, NodeId> gradients;
  const std::uint64_t rows = graph[graph[loss].inputs[0]].shape.rows;
  differentiate(graph, loss, [&](NodeId parameter, NodeId gradient) { gradients[parameter] = gradient; });
  const Evaluator values(graph, given);
  std::size_t parameters = 0;
  for (NodeId id = 0; id < loss; ++id) {
    if (graph[id].op != Op::parameter) continue;
    ++parameters;
    ASSERT_TRUE(gradients.contains(id)) << graph[id].name;
    EXPECT_EQ(graph[gradients[id]].shape, graph[id].shape);
    for (std::size_t i = 0; i < given[id].size(); ++i) {
      constexpr double kStep = 1e-5;
      const double saved = given[id][i];
      given[id][i] = saved + kStep;
      const double up = Evaluator(graph, given)[loss][0];
      given[id][i] = saved - kStep;
      const double down = Evaluator(graph, given)[loss][0];
      given[id][i] = saved;
      EXPECT_NEAR(values[gradients[id]][i], (up - down) / (2 * kStep) / static_cast<double>(rows), 1e-7)
          << graph[id].name << " element " << i;
    }
  }
  EXPECT_EQ(gradients.size(), parameters);
}

struct Builder {
  Graph graph;
  std::map<NodeId, Matrix> given;
  Random random{3, 0};

  NodeId fill(NodeId id) {
    Matrix& m = given[id];
    for (std::uint64_t i = 0; i < graph[id].shape.rows * graph[id].shape.columns; ++i)
      m.push_back(random.unit() - 0.45);
    return id;
  }
  NodeId input(graph::Shape shape) { return fill(graph.input("x", shape)); }
  NodeId parameter(const std::string& name, graph::Shape shape) { return fill(graph.parameter(name, shape)); }
  NodeId labels(std::uint64_t rows, std::uint64_t classes) {
    const NodeId id = graph.input("labels", {rows, 1});
    for (std::uint64_t i = 0; i < rows; ++i) given[id].push_back(static_cast<double>(random.below(classes)));
    return id;
  }
};

TEST(Autodiff, DenseLayersWithReluAndBias) {
  Builder b;
  auto x = b.input({7, 5});
  const auto labels = b.labels(7, 3);
  x = b.graph.relu(b.graph.add_row(b.graph.matmul(x, b.parameter("w1", {5, 6})), b.parameter("b1", {1, 6})));
  x = b.graph.add_row(b.graph.matmul(x, b.parameter("w2", {6, 3})), b.parameter("b2", {1, 3}));
  const auto loss = b.graph.softmax_cross_entropy(x, labels);
  expect_gradients(b.graph, loss, b.given);
}

TEST(Autodiff, TransposedOperandsEitherWay) {
  for (const bool ta : {false, true})
    for (const bool tb : {false, true}) {
      Builder b;
      const auto w1 = b.parameter("w1", ta ? graph::Shape{4, 6} : graph::Shape{6, 4});
      const auto w2 = b.parameter("w2", tb ? graph::Shape{3, 4} : graph::Shape{4, 3});
      const auto labels = b.labels(6, 3);
      const auto loss = b.graph.softmax_cross_entropy(b.graph.matmul(w1, w2, ta, tb), labels);
      expect_gradients(b.graph, loss, b.given);
    }
}

TEST(Autodiff, SumsTheGradientsOfAValueUsedTwice) {
  Builder b;
  const auto x = b.input({5, 4});
  const auto labels = b.labels(5, 4);
  const auto w = b.parameter("w", {4, 4});
  const auto h = b.graph.relu(b.graph.matmul(x, w));
  const auto y = b.graph.add(b.graph.matmul(h, w), h);  // w and h both have two uses
  const auto loss = b.graph.softmax_cross_entropy(y, labels);
  expect_gradients(b.graph, loss, b.given);
}

TEST(Autodiff, SizesOfOne) {
  Builder b;
  const auto x = b.input({1, 1});
  const auto labels = b.labels(1, 2);
  const auto loss = b.graph.softmax_cross_entropy(b.graph.matmul(x, b.parameter("w", {1, 2})), labels);
  expect_gradients(b.graph, loss, b.given);
}

TEST(Autodiff, DoesNotDifferentiateTowardsInputs) {
  Builder b;
  const auto x = b.input({5, 4});
  const auto labels = b.labels(5, 3);
  const auto loss = b.graph.softmax_cross_entropy(b.graph.matmul(x, b.parameter("w", {4, 3})), labels);
  const NodeId before = b.graph.size();
  differentiate(b.graph, loss, [](NodeId, NodeId) {});
  EXPECT_EQ(b.graph.size(), before + 2);  // the loss's gradient and dW
}

TEST(Autodiff, RefusesALossItDoesNotKnow) {
  Builder b;
  const auto x = b.input({5, 4});
  EXPECT_THROW(differentiate(b.graph, x, [](NodeId, NodeId) {}), CompileError);
}

TEST(Graph, ShapesThatDoNotFitNameTheOperands) {
  Graph g;
  const auto x = g.input("images", {128, 100});
  const auto w = g.parameter("kernel", {101, 10});
  try {
    g.matmul(x, w);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_STREQ(error.what(), "matmul of images (128 x 100) and kernel (101 x 10): the inner sizes differ");
  }
  EXPECT_NO_THROW(g.matmul(x, g.parameter("k2", {10, 100}), false, true));
  EXPECT_THROW(g.add_row(x, w), CompileError);
  EXPECT_THROW(g.add(x, w), CompileError);
  EXPECT_THROW(g.relu_gradient(x, w), CompileError);
  EXPECT_THROW(g.softmax_cross_entropy(x, w), CompileError);
  EXPECT_THROW(g.sgd_update(x, x, 0), CompileError);
  EXPECT_THROW(g.sgd_update(w, x, 0), CompileError);
}

}  // namespace
}  // namespace heddle::autodiff
