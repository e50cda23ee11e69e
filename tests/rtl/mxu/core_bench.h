// Drives matrix_core as the weight FIFO, the stream reader, VEC and STORE do, beside a plain model of docs/design.md,
// section 2.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "tests/rtl/arith/blocks.h"
#include "tests/rtl/mxu/ports.h"
#include "verilated.h"

namespace heddle::test {

using Bf16Block = std::array<std::uint16_t, kBlock>;

// One pass: a tile against rows; row i goes to accumulator acc_row + i % period.
struct Pass {
  std::vector<Bf16Block> columns;  // the tile, by column
  std::vector<Bf16Block> rows;
  int acc_row = 0;
  int period = 1 << 20;
  int lane_group = 0;
  bool first = false;  // from +0
  bool last = false;   // ends an instruction

  int acc_row_of(int row) const { return acc_row + row % period; }
};

// kCols columns, kAccRows accumulator rows.
template <typename Model, int kCols, int kAccRows>
class CoreBench {
 public:
  static constexpr int kColumns = kCols;
  static constexpr int kPassLead = 4;
  static constexpr int kLatency = kCols + 54;  // from the row to done
  static constexpr int kMinPassCycles = 12;    // heddle_pkg::MIN_PASS_CYCLES
  static constexpr int kLaneRows = kAccRows * (kCols > 32 ? 2 : 1);

  struct Rates {  // percent of cycles
    int tile_late = 0;
    int row_gap = 0;
    int start_late = 0;
    int reads = 0;
    int stalls = 0;
  };

  explicit CoreBench(std::uint64_t seed) : random_(seed), expected_(kLaneRows * 32, 0) {
    model_.rst_ni = 0;
    drive_idle();
    for (int i = 0; i < 3; ++i) clock();
    model_.rst_ni = 1;
    clock();
    cycle_ = 0;
  }
  ~CoreBench() { model_.final(); }

  // Runs all passes in order, to the last done_o.
  void run(const std::vector<Pass>& passes, const Rates& rates) {
    rates_ = rates;
    passes_ = &passes;
    tile_ = pass_ = row_ = 0;
    started_ = false;
    earliest_row_ = 0;
    instructions_ = 0;
    for (const Pass& pass : passes) instructions_ += pass.last;
    const int limit = cycle_ + 2000 + 400 * static_cast<int>(passes.size());
    while (done_ < instructions_) {
      step();
      if (::testing::Test::HasFatalFailure()) return;
      ASSERT_LT(cycle_, limit) << "hangs";
    }
    done_ = 0;
  }

  // Every accumulator through VEC's port.
  void check_all() {
    for (int row = 0; row < kLaneRows; ++row) {
      ASSERT_NO_FATAL_FAILURE(read_alone(row)) << "row " << row;
    }
  }

  std::uint32_t expected(int lane_row, int lane) const { return expected_[lane_row * 32 + lane]; }
  int cycle() const { return cycle_; }
  int last_row_cycle() const { return last_row_cycle_; }
  int first_row_cycle() const { return first_row_cycle_; }
  std::mt19937_64& random() { return random_; }

  void idle(int cycles) {
    drive_idle();
    for (int i = 0; i < cycles; ++i) clock();
  }

 private:
  bool happens(int percent) { return static_cast<int>(random_() % 100) < percent; }

  void drive_idle() {
    model_.tile_valid_i = model_.pass_start_i = model_.row_valid_i = model_.row_switch_i = 0;
    model_.vec_valid_i = model_.store_valid_i = model_.stall_i = 0;
  }

  void clock() {
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
    ++cycle_;
  }

  void step() {
    drive_tile();
    drive_rows();
    drive_readers();
    model_.eval();  // combinational outputs of this cycle
    const bool reads = model_.tile_read_o, pops = model_.tile_pop_o;
    const int row = model_.tile_row_o;
    const bool vec = model_.vec_valid_i && model_.vec_ready_o, store = model_.store_valid_i && model_.store_ready_o;
    ASSERT_TRUE(!reads || model_.tile_valid_i);
    if (model_.done_o) complete();
    if (vec) accept(vec_due_, model_.vec_row_i);
    if (store) accept(store_due_, model_.store_row_i);
    clock();
    if (reads) read_tile((*passes_)[tile_], row);
    if (pops) {
      ++tile_;
      tile_here_ = false;
    }
    check_answer(vec_due_, model_.vec_rsp_valid_o, model_.vec_rsp_data_o);
    check_answer(store_due_, model_.store_rsp_valid_o, model_.store_rsp_data_o);
  }

  void drive_tile() {
    if (!tile_here_ && tile_ < passes_->size() && !happens(rates_.tile_late)) {
      tile_here_ = true;
      for (int c = 0; c < kCols; ++c) {
        int largest = 0;
        for (const auto x : (*passes_)[tile_].columns[c]) largest = std::max(largest, exponent_of(x));
        put8(model_.tile_exponent_i, c, largest);
      }
    }
    model_.tile_valid_i = tile_here_;
  }

  void read_tile(const Pass& pass, int row) {
    for (int c = 0; c < kCols; ++c) put16(model_.tile_data_i, c, pass.columns[c][row]);
  }

  void drive_rows() {
    model_.pass_start_i = model_.row_valid_i = 0;
    model_.row_switch_i = random_() & 1;  // means nothing without row_valid_i
    if (pass_ >= passes_->size()) return;
    const Pass& pass = (*passes_)[pass_];
    if (started_ && cycle_ >= earliest_row_ && cycle_ >= free_at_[pass.acc_row_of(row_)] && !happens(rates_.row_gap)) {
      for (int k = 0; k < kBlock; ++k) put16(model_.row_data_i, k, pass.rows[row_][k]);
      model_.row_valid_i = 1;
      model_.row_switch_i = row_ == 0;
      model_.row_first_i = pass.first;
      model_.row_acc_i = pass.acc_row_of(row_);
      model_.row_lane_group_i = pass.lane_group;
      model_.row_last_i = pass.last && row_ + 1 == static_cast<int>(pass.rows.size());
      free_at_[pass.acc_row_of(row_)] = cycle_ + kMinPassCycles;
      if (pass_ == 0 && row_ == 0) first_row_cycle_ = cycle_;
      last_row_cycle_ = cycle_;
      if (model_.row_last_i) done_at_.push_back({cycle_ + kLatency, pass_});
      if (++row_ == static_cast<int>(pass.rows.size())) {
        started_ = false;
        row_ = 0;
        ++pass_;
      }
    }
    // The next pass may start while the last row of this one goes by.
    if (!started_ && !start_pending_ && pass_ < passes_->size() && model_.pass_ready_o && !happens(rates_.start_late)) {
      model_.pass_start_i = 1;
      started_ = true;
      earliest_row_ = cycle_ + kPassLead;
    }
    // Reader's prefetch: start may also overlap the tail of the running pass, PASS_LEAD cycles before its end.
    else if (started_ && !start_pending_ && pass_ + 1 < passes_->size() && row_ > 0 && model_.pass_ready_o &&
             static_cast<int>(pass.rows.size()) - row_ <= kPassLead && rates_.row_gap == 0) {
      model_.pass_start_i = 1;
      start_pending_ = true;
      pending_row_ = cycle_ + kPassLead;
    }
    if (!started_ && start_pending_) {
      start_pending_ = false;
      started_ = true;
      earliest_row_ = pending_row_;
    }
  }

  void complete() {
    ASSERT_FALSE(done_at_.empty());
    ASSERT_EQ(cycle_, done_at_.front().first);
    ++done_;
    for (; accounted_ <= done_at_.front().second; ++accounted_) account((*passes_)[accounted_]);
    done_at_.pop_front();
    if (done_ == instructions_) accounted_ = 0;
  }

  // Section 2, literally.
  void account(const Pass& pass) {
    for (std::size_t i = 0; i < pass.rows.size(); ++i)
      for (int c = 0; c < kCols; ++c) {
        int ea = 0, eb = 0;
        for (const auto x : pass.rows[i]) ea = std::max(ea, exponent_of(x));
        for (const auto x : pass.columns[c]) eb = std::max(eb, exponent_of(x));
        std::int64_t sum = 0;
        if (ea != 255 && eb != 255)
          for (int k = 0; k < kBlock; ++k)
            sum += std::int64_t{mantissa_of(pass.rows[i][k], ea)} * mantissa_of(pass.columns[c][k], eb);
        const int row = pass.acc_row_of(static_cast<int>(i));
        const int lane = c % 32 + (kCols < 32 ? 8 * pass.lane_group : 0);
        std::uint32_t& acc = expected_[(row + (c / 32) * kAccRows) * 32 + lane];
        acc = add(pass.first ? 0 : acc, block_result(sum, ea, eb));
      }
  }

  // Random reads, of rows of finished instructions only, and not of those that are being written.
  void drive_readers() {
    model_.stall_i = (happens(rates_.stalls) ? 1 : 0) | (happens(rates_.stalls) ? 2 : 0);
    model_.vec_valid_i = happens(rates_.reads);
    model_.vec_row_i = random_() % kLaneRows;
    model_.store_valid_i = happens(rates_.reads);
    model_.store_row_i = random_() % kLaneRows;
  }

  bool in_flight(int lane_row) const {
    for (std::size_t p = accounted_; p < passes_->size() && p <= pass_; ++p) {
      const int row = lane_row % kAccRows - (*passes_)[p].acc_row;
      if (row >= 0 && row < static_cast<int>((*passes_)[p].rows.size())) return true;
    }
    return false;
  }

  // A request sees every row whose done_o has come, this cycle included; what is on its way is not compared.
  struct Answer {
    int cycle;
    int row;
    std::vector<std::uint32_t> lanes;
  };

  void accept(std::deque<Answer>& due, int row) {
    Answer answer{cycle_ + 3, row, {}};
    if (!in_flight(row)) answer.lanes.assign(expected_.begin() + row * 32, expected_.begin() + row * 32 + 32);
    due.push_back(answer);
  }

  template <typename Port>
  void check_answer(std::deque<Answer>& due, bool valid, Port& data) {
    const bool wanted = !due.empty() && due.front().cycle == cycle_;
    ASSERT_EQ(valid, wanted);
    if (!wanted) return;
    const Answer answer = due.front();
    due.pop_front();
    for (std::size_t lane = 0; lane < answer.lanes.size(); ++lane)
      ASSERT_EQ(words(data)[lane], answer.lanes[lane])
          << "row " << answer.row << " lane " << lane << " cycle " << cycle_;
  }

  void read_alone(int row) {
    drive_idle();
    model_.vec_valid_i = 1;
    model_.vec_row_i = row;
    model_.eval();
    ASSERT_TRUE(model_.vec_ready_o);
    clock();
    model_.vec_valid_i = 0;
    clock();
    clock();
    ASSERT_TRUE(model_.vec_rsp_valid_o);
    for (int lane = 0; lane < 32; ++lane)
      ASSERT_EQ(words(model_.vec_rsp_data_o)[lane], expected(row, lane)) << "lane " << lane;
    clock();
  }

  VerilatedContext context_;
  Model model_{&context_};
  std::mt19937_64 random_;
  Rates rates_;
  const std::vector<Pass>* passes_ = nullptr;
  std::vector<std::uint32_t> expected_;
  std::array<int, kAccRows> free_at_{};  // when an accumulator row may come again
  std::size_t tile_ = 0, pass_ = 0, accounted_ = 0;
  bool tile_here_ = false, started_ = false, start_pending_ = false;
  int row_ = 0, pending_row_ = 0;
  int cycle_ = 0, earliest_row_ = 0, last_row_cycle_ = 0, first_row_cycle_ = 0;
  int done_ = 0, instructions_ = 0;
  std::deque<std::pair<int, std::size_t>> done_at_;
  std::deque<Answer> vec_due_, store_due_;
};

}  // namespace heddle::test
