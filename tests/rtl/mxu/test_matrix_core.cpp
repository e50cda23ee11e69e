// rtl/mxu/matrix_core.sv against the plain matrix product of docs/design.md, section 2.
#include <gtest/gtest.h>

#include <string>

#include "Vmatrix_core_16.h"
#include "Vmatrix_core_32.h"
#include "Vmatrix_core_64.h"
#include "Vmatrix_core_8.h"
#include "tests/rtl/mxu/core_bench.h"

namespace heddle::test {
namespace {

constexpr int kAccRows = 128;

Bf16Block ordinary(std::mt19937_64& random) {
  Bf16Block block{};
  for (auto& x : block) x = static_cast<std::uint16_t>((random() & 0x807F) | ((118 + random() % 12) << 7));
  return block;
}

Pass ordinary_pass(std::mt19937_64& random, int cols, int rows) {
  Pass pass;
  for (int c = 0; c < cols; ++c) pass.columns.push_back(ordinary(random));
  for (int i = 0; i < rows; ++i) pass.rows.push_back(ordinary(random));
  return pass;
}

int random_lane_group(std::mt19937_64& random, int cols) {
  return cols < 32 ? static_cast<int>(random() % static_cast<unsigned>(5 - cols / 8)) : 0;
}

template <typename Bench>
class MatrixCore : public ::testing::Test {};
using Benches = ::testing::Types<CoreBench<Vmatrix_core_8, 8, kAccRows>, CoreBench<Vmatrix_core_16, 16, kAccRows>,
                                 CoreBench<Vmatrix_core_32, 32, kAccRows>, CoreBench<Vmatrix_core_64, 64, kAccRows>>;
TYPED_TEST_SUITE(MatrixCore, Benches);

TYPED_TEST(MatrixCore, AccumulatorsStartAtZero) {
  TypeParam bench(1);
  bench.check_all();
}

TYPED_TEST(MatrixCore, AccumulatesAcrossBlocksInAscendingK) {
  // Large, small, minus large: only the right order and rounding of the three additions gives the expected bits.
  TypeParam bench(2);
  std::vector<Pass> passes;
  for (int p = 0; p < 3; ++p) {
    Pass pass = ordinary_pass(bench.random(), TypeParam::kColumns, 32);
    for (auto& row : pass.rows) row = {};
    for (auto& column : pass.columns) column = {};
    for (int i = 0; i < 32; ++i) pass.rows[i][p] = static_cast<std::uint16_t>(p == 1 ? 0x3F80 + i : 0x4C80);
    for (auto& column : pass.columns) column[p] = p == 2 ? 0xBF80 : 0x3F80;
    pass.first = p == 0;
    pass.last = p == 2;
    passes.push_back(pass);
  }
  bench.run(passes, {});
  ASSERT_FALSE(this->HasFatalFailure());
  EXPECT_EQ(as_float(bench.expected(1, 0)), 0.0F);  // 2^26 + 1.008 rounds to 2^26
  bench.check_all();
}

TYPED_TEST(MatrixCore, StreamsBackToBackPassesOf32RowsWithoutAGap) {
  TypeParam bench(3);
  std::vector<Pass> passes;
  for (int p = 0; p < 12; ++p) {
    passes.push_back(ordinary_pass(bench.random(), TypeParam::kColumns, 32));
    passes.back().acc_row = 32 * (p % 2);
    passes.back().first = p < 2;
    passes.back().last = p % 4 == 3;
  }
  bench.run(passes, {});
  ASSERT_FALSE(this->HasFatalFailure());
  EXPECT_EQ(bench.last_row_cycle() - bench.first_row_cycle() + 1, 12 * 32);
  bench.check_all();
}

TYPED_TEST(MatrixCore, FirstRowFollowsTheTileAsEarlyAsTheArrayAllows) {
  TypeParam bench(4);
  std::vector<Pass> passes{ordinary_pass(bench.random(), TypeParam::kColumns, 1)};
  passes[0].first = passes[0].last = true;
  bench.run(passes, {});
  ASSERT_FALSE(this->HasFatalFailure());
  EXPECT_EQ(bench.first_row_cycle(), 30);  // tile at the head in cycle 0
  EXPECT_EQ(bench.cycle(), 30 + TypeParam::kLatency + 1);
  bench.check_all();
}

TYPED_TEST(MatrixCore, TheSameRowMayRecurAfterTwelveCycles) {
  TypeParam bench(5);
  std::vector<Pass> passes;
  for (int p = 0; p < 4; ++p) {
    passes.push_back(ordinary_pass(bench.random(), TypeParam::kColumns, 60));
    passes.back().period = 12;  // each accumulator five times
    passes.back().last = true;
  }
  bench.run(passes, {});
  ASSERT_FALSE(this->HasFatalFailure());
  EXPECT_EQ(bench.last_row_cycle() - bench.first_row_cycle() + 1, 4 * 60);
  bench.check_all();
}

TYPED_TEST(MatrixCore, AgreesOnHardDataWithRandomGapsReadsAndStalls) {
  for (std::uint64_t seed = 100; seed < 112; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TypeParam bench(seed);
    HardBlocks blocks(seed);
    auto& random = bench.random();
    std::vector<Pass> passes;
    for (int p = 0; p < 24; ++p) {
      Pass pass;
      const int rows = 1 + static_cast<int>(random() % 64);
      for (int c = 0; c < TypeParam::kColumns; ++c) pass.columns.push_back(random() % 4 ? ordinary(random) : blocks());
      for (int i = 0; i < rows; ++i) pass.rows.push_back(random() % 4 ? ordinary(random) : blocks());
      pass.acc_row = static_cast<int>(random() % static_cast<unsigned>(kAccRows + 1 - rows));
      pass.lane_group = random_lane_group(random, TypeParam::kColumns);
      pass.first = random() % 4 == 0;
      pass.last = p == 23 || random() % 3 == 0;
      passes.push_back(pass);
    }
    const bool calm = seed % 3 == 0;
    bench.run(passes, {.tile_late = calm ? 0 : 20,
                       .row_gap = calm ? 0 : 30,
                       .start_late = calm ? 0 : 20,
                       .reads = 40,
                       .stalls = calm ? 0 : 30});
    ASSERT_FALSE(this->HasFatalFailure());
    bench.check_all();
    ASSERT_FALSE(this->HasFatalFailure());
  }
}

}  // namespace
}  // namespace heddle::test
