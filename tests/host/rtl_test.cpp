// Compiled programs on the Verilated core: the same bits as on the functional model, and no more cycles than promised.
#include <gtest/gtest.h>

#include <bit>

#include "driver/device_factory.h"
#include "host/api/sequential.h"
#include "host/data/random.h"
#include "host/data/test_patterns.h"
#include "host/executor/gemm.h"
#include "host/reference/gemm.h"
#include "sim/numerics/bf16.h"

namespace heddle {
namespace {

std::unique_ptr<driver::Device> open(const std::string& name, unsigned stall_percent = 0) {
  driver::DeviceOptions options;
  options.stall_percent = stall_percent;
  return driver::open_device(name, config::load("sim"), options);
}

// Cycles of a product that agrees with the reference in every bit; 0 if it does not.
std::uint64_t cycles_of(driver::Device& device, const compiler::GemmShape& shape) {
  const auto a = test_pattern(Pattern::adversarial, shape.transpose_a ? shape.k : shape.m,
                              shape.transpose_a ? shape.m : shape.k, 1, 0);
  const auto b = test_pattern(Pattern::adversarial, shape.transpose_b ? shape.n : shape.k,
                              shape.transpose_b ? shape.k : shape.n, 1, 1);
  const GemmResult result = run_gemm(device, shape, a, b);
  const auto expected = reference::gemm(shape, a, b);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::bit_cast<std::uint32_t>(result.c[i]) != expected[i]) return 0;
  return result.counters.cycles;
}

void expect_cycles(std::uint64_t cycles, std::uint64_t limit) {
  EXPECT_GT(cycles, 0U) << "wrong bits";
  EXPECT_LE(cycles, limit);
}

TEST(OnRtl, SmallProductTakesLittleMoreThanThreeMemoryLatencies) {
  expect_cycles(cycles_of(*open("verilated"), {16, 16, 16}), 450);
}

TEST(OnRtl, ProductOf128UsesFourFifthsOfTheArray) {
  expect_cycles(cycles_of(*open("verilated"), {128, 128, 128}), 2560);
}

TEST(OnRtl, ProductOf512KeepsTheArrayBusy) { expect_cycles(cycles_of(*open("verilated"), {512, 512, 512}), 135'100); }

TEST(OnRtl, OddShapesAndTransposesUnderBackPressure) {
  const auto device = open("verilated", 30);
  for (const auto& shape :
       {compiler::GemmShape{1, 1, 1}, compiler::GemmShape{5, 70, 33}, compiler::GemmShape{67, 31, 100, true, false},
        compiler::GemmShape{40, 129, 65, false, true}, compiler::GemmShape{33, 17, 64, true, true},
        compiler::GemmShape{300, 140, 0}, compiler::GemmShape{0, 3, 4}})
    if (shape.m > 0)
      EXPECT_GT(cycles_of(*device, shape), 0U) << shape.m << " x " << shape.n << " x " << shape.k;
    else
      EXPECT_TRUE(run_gemm(*device, shape, {}, std::vector<std::uint16_t>(12)).c.empty());
}

Dataset noise(std::uint64_t count, std::uint64_t features) {
  Random random(23, 0);
  Dataset data{"noise", count, features, 10, {}, {}};
  for (std::uint64_t i = 0; i < count * features; ++i)
    data.values.push_back(numerics::to_bf16(std::bit_cast<std::uint32_t>(random.unit())));
  for (std::uint64_t i = 0; i < count; ++i) data.labels.push_back(static_cast<std::uint32_t>(random.below(10)));
  return data;
}

struct Outcome {
  std::string digest;
  double loss = 0;
  std::uint64_t cycles_of_a_step = 0;
};

Outcome train(driver::Device& device, const Dataset& data) {
  Sequential model("mlp", data.features);
  model.add({128, Activation::relu});
  model.add({10});
  model.compile(device, {0.05F, 0.9F}, Loss::sparse_categorical_crossentropy, {});
  Outcome run;
  const History history = model.fit(data, {.batch_size = 128, .on_step = [&](const StepReport& report) {
                                             if (report.batch == 128) run.cycles_of_a_step = report.counters.cycles;
                                           }});
  run.loss = history.epochs[0].loss;
  run.digest = model.weights_digest();
  return run;
}

TEST(OnRtl, TrainingStepOfTheMlpStaysWithinItsCycles) {
  const Dataset data = noise(128 + 37, 784);  // a whole batch and a partial one
  const Outcome rtl = train(*open("verilated"), data);
  const Outcome functional = train(*open("functional"), data);
  EXPECT_EQ(rtl.digest, functional.digest);
  EXPECT_EQ(rtl.loss, functional.loss);
  expect_cycles(rtl.cycles_of_a_step, 32'800);
}

TEST(OnRtl, BackPressureChangesNoBit) {
  const Dataset data = noise(150, 200);
  EXPECT_EQ(train(*open("verilated", 25), data).digest, train(*open("functional"), data).digest);
}

}  // namespace
}  // namespace heddle
