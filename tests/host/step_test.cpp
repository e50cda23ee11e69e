// Compiled training steps on the functional device, bit for bit against the exact evaluator of the same graph.
#include "host/compiler/step.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "common/error.h"
#include "driver/device_factory.h"
#include "host/api/model_graph.h"
#include "host/data/random.h"
#include "host/executor/step_runner.h"
#include "tests/host/exact_evaluator.h"
#include "tests/reference/arithmetic.h"

namespace heddle {
namespace {

using testing_support::Bits;
using testing_support::ExactBatch;
using testing_support::ExactState;

struct Case {
  std::uint64_t features;
  std::vector<Dense> layers;
  std::uint64_t batch;
};

std::string describe(const Case& c, std::uint32_t cols) {
  std::string text = "batch " + std::to_string(c.batch) + ", " + std::to_string(c.features);
  for (const Dense& layer : c.layers)
    text += (layer.activation == Activation::relu ? " -relu-> " : " -> ") + std::to_string(layer.units);
  return text + ", " + std::to_string(cols) + " columns";
}

ModelSpec spec_of(const Case& c) {
  ModelSpec spec{"test", c.features, c.layers};
  for (std::size_t i = 0; i < spec.layers.size(); ++i) spec.layers[i].name = "layer" + std::to_string(i);
  return spec;
}

ExactBatch random_batch(const Case& c, std::uint64_t step) {
  Random random(99, step);
  ExactBatch batch;
  for (std::uint64_t i = 0; i < c.batch * c.features; ++i)
    batch.features.push_back(plain::to_bf16(std::bit_cast<std::uint32_t>(2 * random.unit() - 0.7F)));
  for (std::uint64_t i = 0; i < c.batch; ++i)
    batch.labels.push_back(static_cast<std::uint32_t>(random.below(c.layers.back().units)));
  return batch;
}

Bits bits_of(const std::vector<float>& values) {
  Bits result;
  for (const float v : values) result.push_back(std::bit_cast<std::uint32_t>(v));
  return result;
}

// A model on a device and in the evaluator, with the same weights.
class Pair {
 public:
  Pair(const Case& c, const config::Config& config)
      : case_(c),
        device_(driver::open_device("functional", config)),
        model_(training_graph(spec_of(c), c.batch, {kRate, 0.9F})),
        state_(*device_, compiler::plan_state(model_.graph, config)),
        runner_(*device_, state_, compiler::compile_step(model_.graph, state_.layout(), config), kFeatures, kLabels) {
    runner_.set(compiler::ConstantName::learning_rate, kRate);
    Random random(5, 0);
    for (graph::NodeId id = 0; id < model_.graph.size(); ++id) {
      const graph::Node& node = model_.graph[id];
      if (node.op != graph::Op::parameter) continue;
      std::vector<float> values(node.shape.rows * node.shape.columns);
      const float scale = 1.5F / std::sqrt(static_cast<float>(node.shape.rows));
      for (float& v : values) v = (2 * random.unit() - 1) * scale;
      state_.write(node.name, values);
      exact_.master[node.name] = bits_of(values);
    }
  }

  void step_and_compare(std::uint64_t step) {
    const ExactBatch batch = random_batch(case_, step);
    runner_.stage({batch.features, batch.labels});
    runner_.start();
    const StepResult result = runner_.wait();
    const auto values = testing_support::evaluate_exactly(model_.graph, exact_, batch, kRate);
    for (graph::NodeId id = 0; id < model_.graph.size(); ++id) {
      const graph::Node& node = model_.graph[id];
      if (node.op == graph::Op::softmax_cross_entropy) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(result.loss_sum)), values[id][0]);
      }
      if (node.op == graph::Op::correct_count) {
        EXPECT_EQ(plain::fp32_of(static_cast<int>(result.correct)), values[id][0]);
      }
      if (node.op == graph::Op::parameter) {
        EXPECT_EQ(bits_of(state_.read(node.name)), exact_.master[node.name]) << node.name;
      }
    }
  }

 private:
  static constexpr float kRate = 0.25F;
  Case case_;
  std::unique_ptr<driver::Device> device_;
  ModelGraph model_;
  DeviceState state_;
  StepRunner runner_;
  ExactState exact_;
};

config::Config with_cols(std::uint32_t cols) {
  config::Config config = config::load("sim");
  config.cols = cols;
  return config;
}

constexpr Activation kRelu = Activation::relu;

class StepOnColumns : public testing::TestWithParam<std::uint32_t> {};

TEST_P(StepOnColumns, AgreesWithExactEvaluatorBitForBit) {
  const std::vector<Case> cases = {
      {1, {{1}}, 1},                              // every size 1
      {3, {{2}}, 5},                              // below one block
      {33, {{31, kRelu}, {33}}, 31},              // around one block
      {40, {{70, kRelu}, {10}}, 65},              // partial panels
      {20, {{17, kRelu}, {65, kRelu}, {5}}, 40},  // three layers
      {20, {{17}, {9}}, 20},                      // no activation between
      {10, {{100}}, 33},                          // classes in four panels
      {130, {{129, kRelu}, {10}}, 16},            // one more than whole panels
      {200, {{40, kRelu}, {10}}, 96},             // chunks of the update with a rest
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(describe(c, GetParam()));
    Pair pair(c, with_cols(GetParam()));
    for (std::uint64_t step = 0; step < 3; ++step) pair.step_and_compare(step);
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, StepOnColumns, testing::Values(8U, 16U, 32U, 64U));

TEST(Step, BlocksLayersWiderThanTheAccumulators) {
  config::Config config = config::load("sim");
  config.acc_rows = 128;
  Pair pair({70, {{300, kRelu}, {40}}, 64}, config);
  for (std::uint64_t step = 0; step < 2; ++step) pair.step_and_compare(step);
}

TEST(Step, WorksInASmallUnifiedBuffer) {
  config::Config config = config::load("sim");
  config.ub_lines = 3072;
  Pair pair({300, {{90, kRelu}, {10}}, 64}, config);
  for (std::uint64_t step = 0; step < 2; ++step) pair.step_and_compare(step);
}

// The fuller the buffer, the sooner memory is used again: while a VEC of the background still reads it, if it was given
// away too soon.
TEST(Step, UsesMemoryAgainOnlyWhenItIsFree) {
  for (std::uint32_t lines = 2400; lines <= 6000; lines += 200) {
    SCOPED_TRACE(std::to_string(lines) + " lines");
    config::Config config = config::load("sim");
    config.ub_lines = lines;
    Pair pair({160, {{90, kRelu}, {40, kRelu}, {10}}, 64}, config);
    for (std::uint64_t step = 0; step < 2; ++step) pair.step_and_compare(step);
  }
}

std::string compile_error(const Case& c, const config::Config& config) {
  const ModelGraph model = training_graph(spec_of(c), c.batch, {});
  try {
    compiler::compile_step(model.graph, compiler::plan_state(model.graph, config), config);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(Step, SaysWhatDoesNotFitAndWhatToChange) {
  const std::string message = compile_error({784, {{128, kRelu}, {10}}, 60000}, config::load("sim"));
  EXPECT_NE(message.find("features"), std::string::npos) << message;
  EXPECT_NE(message.find("unified buffer"), std::string::npos) << message;
  EXPECT_NE(message.find("smaller batch"), std::string::npos) << message;
}

TEST(Step, RefusesGraphsItCannotLower) {
  const config::Config config = config::load("sim");
  graph::Graph g;
  const auto x = g.input("features", {4, 4});
  g.add(x, x);
  EXPECT_THROW(compiler::compile_step(g, compiler::plan_state(g, config), config), CompileError);

  graph::Graph empty;
  empty.input("features", {0, 4});
  EXPECT_THROW(compiler::compile_step(empty, compiler::plan_state(empty, config), config), CompileError);
}

TEST(Step, NaNAndInfinityPropagateToLossAndWeights) {
  const Case c{8, {{4, kRelu}, {3}}, 4};
  const auto device = driver::open_device("functional", config::load("sim"));
  const ModelGraph model = training_graph(spec_of(c), c.batch, {0.1F, 0});
  DeviceState state(*device, compiler::plan_state(model.graph, device->config()));
  for (const auto& p : state.layout().parameters)
    state.write(p.name, std::vector<float>(p.master.rows * p.master.columns, 0.5F));
  StepRunner runner(*device, state, compiler::compile_step(model.graph, state.layout(), device->config()), kFeatures,
                    kLabels);
  runner.set(compiler::ConstantName::learning_rate, 0.1F);
  ExactBatch batch = random_batch(c, 0);
  batch.features[3] = 0x7F80;  // Inf in the first sample
  runner.stage({batch.features, batch.labels});
  runner.start();
  EXPECT_TRUE(std::isnan(runner.wait().loss_sum));
  EXPECT_TRUE(std::isnan(state.read("layer0.kernel")[3 * 4]));  // of the feature that was Inf
  EXPECT_FALSE(std::isnan(state.read("layer0.kernel")[0]));     // relu of NaN passes no gradient
  EXPECT_TRUE(std::isnan(state.read("layer1.kernel")[0]));
}

}  // namespace
}  // namespace heddle
