// rtl/mxu/systolic_array.sv: both forms, cycle by cycle, against the plain matrix product.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "Varray_pair_5.h"
#include "Varray_pair_8.h"
#include "tests/rtl/mxu/ports.h"
#include "verilated.h"

namespace heddle::test {
namespace {

constexpr int kRows = 32;

template <typename Model, int kCols>
class ArrayPair {
 public:
  static constexpr std::size_t kLatency = kCols + 33;
  using Tile = std::vector<int>;  // row-major, kRows x kCols
  using Sums = std::array<std::int64_t, kCols>;

  explicit ArrayPair(std::uint64_t seed) : random_(seed) {
    model_.rst_ni = 0;
    model_.valid_i = model_.load_i = 0;
    for (int i = 0; i < 3; ++i) clock();
    model_.rst_ni = 1;
  }
  ~ArrayPair() { model_.final(); }

  // Runs passes of the given numbers of rows; the tile of pass p + 1 starts to move in `load_delay` cycles after the
  // switch to p.
  void run(const std::vector<int>& passes, int load_delay, int gap_percent) {
    start_load();
    for (int i = 0; i < kRows; ++i) cycle(false, false);
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
      // Wait until the tile is complete.
      while (load_row_ >= 0 || wait_ > 0) cycle(false, false);
      current_ = next_;
      wait_ = pass + 1 < passes.size() ? load_delay + 1 : 0;
      for (int row = 0; row < passes[pass]; ++row) {
        if (row > 0 && static_cast<int>(random_() % 100) < gap_percent) cycle(false, false);
        cycle(true, row == 0);
      }
    }
    for (std::size_t i = 0; i < kLatency + 3; ++i) cycle(false, false);
    EXPECT_TRUE(due_.empty());
  }

  int cycles() const { return cycles_; }

 private:
  int element() {
    switch (random_() % 4) {
      case 0:
        return random_() % 2 ? 32640 : -32640;
      case 1:
        return 0;
      default:
        return static_cast<int>(random_() % 65281) - 32640;
    }
  }

  void start_load() {
    next_.assign(kRows * kCols, 0);
    const bool extreme = random_() % 4 == 0;
    for (int& w : next_) w = extreme ? 32640 : element();
    load_row_ = kRows - 1;
  }

  void cycle(bool valid, bool switching) {
    if (wait_ > 0 && --wait_ == 0) start_load();
    model_.load_i = load_row_ >= 0;
    model_.load_first_i = load_row_ == kRows - 1;
    for (int c = 0; c < kCols; ++c)
      put16(model_.weight_i, c, load_row_ >= 0 ? next_[load_row_ * kCols + c] : element());
    if (load_row_ >= 0) --load_row_;

    model_.valid_i = valid;
    model_.switch_i = switching;
    const bool extreme = random_() % 8 == 0;
    Sums sums{};
    for (int k = 0; k < kRows; ++k) {
      const int a = extreme ? -32640 : element();
      put16(model_.row_i, k, a);
      if (valid)
        for (int c = 0; c < kCols; ++c) sums[c] += std::int64_t{a} * current_[k * kCols + c];
    }
    if (valid) due_.push_back({cycles_ + kLatency, sums});
    clock();
    check();
  }

  void clock() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
    ++cycles_;
  }

  void check() {
    const bool expected = !due_.empty() && due_.front().cycle == static_cast<std::size_t>(cycles_);
    ASSERT_EQ(model_.behaviour_valid_o, expected) << "cycle " << cycles_;
    ASSERT_EQ(model_.dsp_valid_o, expected) << "cycle " << cycles_;
    if (!expected) return;
    for (int c = 0; c < kCols; ++c) {
      ASSERT_EQ(get64(model_.dsp_sum_o, c), due_.front().sums[c]) << "DSP form, column " << c << ", cycle " << cycles_;
      ASSERT_EQ(get64(model_.behaviour_sum_o, c), due_.front().sums[c]) << "column " << c << ", cycle " << cycles_;
    }
    due_.pop_front();
  }

  struct Due {
    std::size_t cycle;
    Sums sums;
  };
  VerilatedContext context_;
  Model model_{&context_};
  std::mt19937_64 random_;
  Tile next_, current_;
  int load_row_ = -1, wait_ = 0, cycles_ = 0;
  std::deque<Due> due_;
};

template <typename Pair>
class SystolicArray : public ::testing::Test {};
using Pairs = ::testing::Types<ArrayPair<Varray_pair_8, 8>, ArrayPair<Varray_pair_5, 5>>;
TYPED_TEST_SUITE(SystolicArray, Pairs);

TYPED_TEST(SystolicArray, NeverWaitsInBackToBackPassesOf32Rows) {
  TypeParam pair(1);
  const std::vector<int> passes(20, 32);
  pair.run(passes, 0, 0);
  // Reset, the first tile, the passes without a gap, and the way out.
  EXPECT_EQ(pair.cycles(), 3 + 32 + 20 * 32 + static_cast<int>(TypeParam::kLatency) + 3);
}

TYPED_TEST(SystolicArray, SwitchesTilesInPassesOfAnyLengthWithGaps) {
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<int> passes;
    for (int i = 0; i < 12; ++i) passes.push_back(1 + static_cast<int>(random() % 70));
    TypeParam pair(seed);
    pair.run(passes, static_cast<int>(random() % 5), static_cast<int>(random() % 60));
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test
