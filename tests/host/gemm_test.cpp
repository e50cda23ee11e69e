// Compiled matrix products on the functional device against the plain reference, with the race detector on.
#include "host/executor/gemm.h"

#include <gtest/gtest.h>

#include <bit>

#include "driver/device_factory.h"
#include "host/data/random.h"
#include "host/data/test_patterns.h"
#include "host/reference/comparison.h"
#include "host/reference/gemm.h"
#include "tests/cases/gemm_cases.h"
#include "tests/reference/arithmetic.h"

namespace heddle {
namespace {

struct Operands {
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
};

Operands operands(const compiler::GemmShape& s, Pattern pattern, std::uint64_t seed) {
  return {test_pattern(pattern, s.transpose_a ? s.k : s.m, s.transpose_a ? s.m : s.k, seed, 0),
          test_pattern(pattern, s.transpose_b ? s.n : s.k, s.transpose_b ? s.k : s.n, seed, 1)};
}

// Elements that differ from the reference.
std::size_t mismatches(driver::Device& device, const compiler::GemmShape& shape, Pattern pattern, std::uint64_t seed) {
  const Operands x = operands(shape, pattern, seed);
  const GemmResult result = run_gemm(device, shape, x.a, x.b);
  const auto expected = reference::gemm(shape, x.a, x.b);
  EXPECT_EQ(result.c.size(), expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    wrong += std::bit_cast<std::uint32_t>(result.c[i]) != expected[i] ? 1 : 0;
  return wrong;
}

std::string describe(const compiler::GemmShape& s) {
  return std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k) +
         (s.transpose_a ? " A^T" : "") + (s.transpose_b ? " B^T" : "");
}

config::Config with_cols(std::uint32_t cols) {
  config::Config config = config::load("sim");
  config.cols = cols;
  return config;
}

class GemmOnColumns : public testing::TestWithParam<std::uint32_t> {};

TEST_P(GemmOnColumns, AgreesWithReferenceOnCaseFile) {
  constexpr std::uint64_t kMacLimit = 4'000'000;
  const auto device = driver::open_device("functional", with_cols(GetParam()));
  std::size_t run = 0;
  for (const auto& c : cases::gemm_cases()) {
    if (c.macs() > kMacLimit) continue;
    const compiler::GemmShape shape{c.m, c.n, c.k, c.transpose_a, c.transpose_b};
    EXPECT_EQ(mismatches(*device, shape, Pattern::adversarial, 7), 0U) << c.id << " " << describe(shape);
    ++run;
  }
  EXPECT_GT(run, 200U);
}

TEST_P(GemmOnColumns, AgreesWithReferenceOnRandomShapes) {
  const auto device = driver::open_device("functional", with_cols(GetParam()));
  constexpr std::uint64_t kSeed = 11;
  Random random(kSeed, GetParam());
  for (int i = 0; i < 120; ++i) {
    compiler::GemmShape shape;
    // Around the sizes where tiles, strips and blocks end.
    for (std::uint64_t* size : {&shape.m, &shape.n, &shape.k}) {
      constexpr std::uint64_t kEdges[] = {1, 8, 16, 32, 64, 128, 256, 288};
      *size = kEdges[random.below(std::size(kEdges))] + random.below(3);
      if (*size > 1) *size -= random.below(2);
    }
    shape.transpose_a = random.below(2) == 1;
    shape.transpose_b = random.below(2) == 1;
    const Pattern pattern = random.below(2) == 1 ? Pattern::adversarial : Pattern::random;
    EXPECT_EQ(mismatches(*device, shape, pattern, kSeed + static_cast<std::uint64_t>(i)), 0U)
        << describe(shape) << ", case " << i << " of seed " << kSeed;
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, GemmOnColumns, testing::Values(8U, 16U, 32U, 64U));

TEST(Gemm, BlocksWhatExceedsTheBuffers) {
  config::Config config = config::load("sim");
  config.ub_lines = 512;  // a few tiles
  config.acc_rows = 64;
  const auto device = driver::open_device("functional", config);
  for (const auto& shape :
       {compiler::GemmShape{200, 170, 300}, compiler::GemmShape{200, 170, 300, true, true},
        compiler::GemmShape{33, 500, 65, true, false}, compiler::GemmShape{500, 33, 65, false, true}})
    EXPECT_EQ(mismatches(*device, shape, Pattern::adversarial, 3), 0U) << describe(shape);
}

TEST(Gemm, WorksOnAnyNumberOfPorts) {
  for (const std::uint32_t ports : {1U, 2U, 3U, 4U, 8U}) {
    config::Config config = config::load("sim");
    config.axi_ports = ports;
    const auto device = driver::open_device("functional", config);
    EXPECT_EQ(mismatches(*device, {129, 97, 65}, Pattern::random, 5), 0U) << ports << " ports";
  }
}

TEST(Gemm, EmptySumIsZeroEvenInUsedMemory) {
  const auto device = driver::open_device("functional", config::load("sim"));
  EXPECT_EQ(mismatches(*device, {70, 70, 70}, Pattern::random, 1), 0U);
  const GemmResult zero = run_gemm(*device, {70, 70, 0}, {}, {});
  ASSERT_EQ(zero.c.size(), 4900U);
  for (const float x : zero.c) EXPECT_EQ(std::bit_cast<std::uint32_t>(x), 0U);
}

TEST(Gemm, EmptySumFillsWhateverTheBuffersHold) {
  config::Config small = config::load("sim");
  small.ub_lines = 1024;
  for (const auto& config : {config::load("sim"), config::load("tiny"), small})
    for (const auto& shape :
         {compiler::GemmShape{1, 1, 0}, compiler::GemmShape{3, 16, 0}, compiler::GemmShape{9001, 1, 0},
          compiler::GemmShape{5, 70001, 0}, compiler::GemmShape{1025, 1025, 0},
          compiler::GemmShape{4095 * 4 * 2 + 3, 1, 0}, compiler::GemmShape{1023 * 4097, 1, 0}}) {
      const auto device = driver::open_device("functional", config);
      run_gemm(*device, {300, 300, 300}, std::vector<std::uint16_t>(90000, 0x3F80),
               std::vector<std::uint16_t>(90000, 0x3F80));  // leaves something in the unified buffer
      compiler::GemmProgram gemm = compiler::compile_gemm(shape, device->config());
      const SlotBuffers slots = allocate_slots(*device, gemm.program.slot_lines);
      for (const driver::BufferPtr& slot : slots)
        if (slot) device->write(*slot, 0, std::vector<std::byte>(slot->bytes(), std::byte{0x41}));
      DeviceProgram program(*device, std::move(gemm.program));
      program.start(slots);
      program.wait();
      EXPECT_EQ(download(*device, slots, gemm.c), std::vector<float>(shape.m * shape.n))
          << describe(shape) << " on " << config.name;
    }
}

TEST(Gemm, RunsAgainWithOtherOperands) {
  const auto device = driver::open_device("functional", config::load("sim"));
  const compiler::GemmShape shape{67, 35, 90, false, true};
  GemmRunner runner(*device, compiler::compile_gemm(shape, device->config()));
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Operands x = operands(shape, Pattern::adversarial, seed);
    const auto comparison =
        reference::compare(runner.run(x.a, x.b).c, reference::Gemm(shape, x.a, x.b), reference::Coverage::all, seed);
    EXPECT_EQ(comparison.wrong, 0U) << "seed " << seed;
    EXPECT_EQ(comparison.checked, shape.m * shape.n);
  }
}

TEST(Gemm, WithoutRowsOrColumnsThereIsNothing) {
  const auto device = driver::open_device("functional", config::load("sim"));
  EXPECT_TRUE(run_gemm(*device, {0, 5, 5}, {}, std::vector<std::uint16_t>(25)).c.empty());
  EXPECT_TRUE(run_gemm(*device, {5, 0, 5}, std::vector<std::uint16_t>(25), {}).c.empty());
  EXPECT_TRUE(run_gemm(*device, {0, 0, 0}, {}, {}).c.empty());
}

// The reference that the command line checks against is itself checked against the one that shares nothing with it.
TEST(ReferenceGemm, AgreesWithIntegerArithmetic) {
  for (const Pattern pattern : {Pattern::random, Pattern::adversarial})
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const compiler::GemmShape shape{23, 17, 70 + seed};
      const Operands x = operands(shape, pattern, seed);
      EXPECT_EQ(reference::gemm(shape, x.a, x.b), plain::gemm(x.a, x.b, shape.m, shape.n, shape.k)) << "seed " << seed;
    }
}

TEST(ReferenceGemm, TransposesAreOnlyAnotherWayToStore) {
  const compiler::GemmShape straight{9, 7, 40};
  const Operands x = operands(straight, Pattern::adversarial, 2);
  std::vector<std::uint16_t> at(x.a.size());
  std::vector<std::uint16_t> bt(x.b.size());
  for (std::size_t i = 0; i < straight.m; ++i)
    for (std::size_t k = 0; k < straight.k; ++k) at[k * straight.m + i] = x.a[i * straight.k + k];
  for (std::size_t k = 0; k < straight.k; ++k)
    for (std::size_t j = 0; j < straight.n; ++j) bt[j * straight.k + k] = x.b[k * straight.n + j];
  EXPECT_EQ(reference::gemm(straight, x.a, x.b), reference::gemm({9, 7, 40, true, true}, at, bt));
}

class Comparisons : public testing::Test {
 protected:
  // The right C for the shape, with some of its elements changed.
  static reference::Comparison compare(const compiler::GemmShape& shape, const std::vector<std::size_t>& changed,
                                       reference::Coverage coverage, std::uint64_t seed) {
    const Operands x = operands(shape, Pattern::random, 1);
    std::vector<float> c;
    for (const std::uint32_t bits : reference::gemm(shape, x.a, x.b)) c.push_back(std::bit_cast<float>(bits));
    for (const std::size_t i : changed) c[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(c[i]) ^ 1U);
    return reference::compare(c, reference::Gemm(shape, x.a, x.b), coverage, seed);
  }
};

TEST_F(Comparisons, NameTheFirstOfAllDifferences) {
  const auto found = compare({5, 40, 3}, {87, 150}, reference::Coverage::all, 1);
  EXPECT_EQ(found.checked, 200U);
  EXPECT_EQ(found.wrong, 2U);
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->row, 2U);
  EXPECT_EQ(found.first->column, 7U);
  EXPECT_EQ(found.first->found ^ found.first->expected, 1U);
}

TEST_F(Comparisons, OfRightResultsFindNothing) {
  for (const auto& shape : {compiler::GemmShape{64, 48, 33}, compiler::GemmShape{1, 1, 1},
                            compiler::GemmShape{17, 31, 0}, compiler::GemmShape{0, 4, 4}})
    for (const auto coverage : {reference::Coverage::all, reference::Coverage::sampled})
      EXPECT_EQ(compare(shape, {}, coverage, 3).wrong, 0U) << describe(shape);
}

// Every 16 neighbours of a row, and of a column, up to the ragged edges.
TEST_F(Comparisons, OfSamplesFindEveryLineThatIsLost) {
  const compiler::GemmShape shape{37, 43, 2};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (std::size_t row = 0; row < shape.m; ++row)
      for (std::size_t tile = 0; tile < shape.n; tile += 16) {
        std::vector<std::size_t> changed;
        for (std::size_t j = tile; j < std::min<std::size_t>(tile + 16, shape.n); ++j)
          changed.push_back(row * shape.n + j);
        EXPECT_GT(compare(shape, changed, reference::Coverage::sampled, seed).wrong, 0U) << row << ", " << tile;
      }
    for (std::size_t column = 0; column < shape.n; ++column)
      for (std::size_t tile = 0; tile < shape.m; tile += 16) {
        std::vector<std::size_t> changed;
        for (std::size_t i = tile; i < std::min<std::size_t>(tile + 16, shape.m); ++i)
          changed.push_back(i * shape.n + column);
        EXPECT_GT(compare(shape, changed, reference::Coverage::sampled, seed).wrong, 0U) << tile << ", " << column;
      }
  }
}

TEST_F(Comparisons, OfSamplesLookAtOneElementInSixteen) {
  EXPECT_EQ(compare({160, 320, 1}, {}, reference::Coverage::sampled, 1).checked, 160U * 320 / 16);
  EXPECT_EQ(compare({100, 1, 1}, {}, reference::Coverage::sampled, 1).checked, 100U);  // every line has one element
}

}  // namespace
}  // namespace heddle
