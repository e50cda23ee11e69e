// The vector unit between memories that answer after 3 cycles and refuse at random.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <random>
#include <set>

#include "Vvector_unit.h"
#include "tests/rtl/vector/reference.h"
#include "verilated.h"

namespace heddle::test {

struct Command {
  isa::Vec vec;
  isa::Vop vop;
};

// Lines of the unified buffer that an instruction touches, in row order.
struct Footprint {
  explicit Footprint(const Command& c) {
    const std::uint32_t written = c.vop.reduce == isa::Vop::Reduce::row_sum ? 1 : c.vec.rows;
    for (std::uint32_t i = 0; i < c.vec.rows; ++i) {
      read_line(static_cast<unsigned>(c.vec.a_kind), c.vec.a_line + i * c.vec.a_stride);
      read_line(static_cast<unsigned>(c.vec.b_kind), c.vec.b_line + i * c.vec.b_stride);
    }
    for (std::uint32_t i = 0; i < written; ++i) {
      const std::uint32_t line = c.vec.d_line + i * c.vec.d_stride;
      write_line(line);
      if (c.vec.d_kind == isa::Vec::DKind::fp32) write_line(line + 1);
      if (c.vop.copy != 0) write_line(c.vop.copy_line + i * c.vop.copy_stride);
    }
  }
  bool reads_what(const Footprint& other) const {
    for (const std::uint32_t line : other.writes)
      if (reads.contains(line)) return true;
    return false;
  }
  std::set<std::uint32_t> reads, writes;
  bool writes_twice = false;

 private:
  void read_line(unsigned kind, std::uint32_t line) {
    if (kind >= 2) reads.insert(line);
    if (kind == 3) reads.insert(line + 1);
  }
  void write_line(std::uint32_t line) { writes_twice |= !writes.insert(line).second; }
};

// Percentage of cycles in which a port refuses, or the dispatcher has nothing to offer.
struct Stalls {
  unsigned a = 0, b = 0, acc = 0, d = 0, copy = 0, command = 0;
};

class VectorBench {
 public:
  VectorBench(Memories& memory, const Stalls& stalls, std::uint32_t seed)
      : memory_(memory), stalls_(stalls), random_(seed) {
    model_.rst_ni = 0;
    idle_inputs();
    for (int i = 0; i < 3; ++i) tick();
    model_.rst_ni = 1;
  }
  ~VectorBench() {
    Verilated::threadContextp(
        &context_);  // where the model's destructor looks for its scopes, whichever model came last
    model_.final();
  }

  // Runs the commands; each starts when what it reads of earlier ones has been written. Returns the cycles, from the
  // first command offered to the last done, or nothing when it hangs.
  std::optional<std::uint64_t> run(const std::vector<Command>& commands) {
    Verilated::threadContextp(&context_);
    std::vector<Footprint> footprints;
    for (const Command& command : commands) footprints.emplace_back(command);
    std::size_t next = 0, done = 0;
    std::uint64_t cycle = 0, quiet = 0;
    rows_expected_ = 0;
    std::deque<std::uint64_t> rows_at_done;
    const std::uint64_t d_before = d_rows_, copies_before = copy_rows_;
    std::uint64_t copies_expected = 0;
    std::deque<std::uint64_t> copies_at_done;
    while (done < commands.size()) {
      bool may_start = next < commands.size() && !stalled(stalls_.command);
      for (std::size_t earlier = done; may_start && earlier < next; ++earlier)
        may_start = !footprints[next].reads_what(footprints[earlier]);
      offer(may_start ? &commands[next] : nullptr);
      cycle_ports();
      const bool accepted = model_.cmd_valid_i && model_.cmd_ready_o;
      tick();
      ++cycle;
      if (accepted) {
        const Command& c = commands[next++];
        const std::uint64_t rows = c.vop.reduce == isa::Vop::Reduce::row_sum ? 1 : c.vec.rows;
        rows_expected_ += rows;
        copies_expected += c.vop.copy != 0 ? rows : 0;
        rows_at_done.push_back(rows_expected_);
        copies_at_done.push_back(copies_expected);
      }
      if (model_.done_o) {
        if (done >= next) return std::nullopt;
        EXPECT_GE(d_rows_ - d_before, rows_at_done[done]) << "done before the result was written";
        EXPECT_GE(copy_rows_ - copies_before, copies_at_done[done]) << "done before the copy was written";
        ++done;
        quiet = 0;
      }
      if (++quiet > 200'000) return std::nullopt;
    }
    offer(nullptr);
    for (int i = 0; i < 20; ++i) {
      cycle_ports();
      tick();
      EXPECT_FALSE(model_.done_o) << "one done too many";
      EXPECT_FALSE(model_.pwr_valid_o || model_.wr_valid_o) << "a write after the last done";
    }
    model_.eval();
    EXPECT_EQ(model_.state_o, 0) << "not idle after the last done";
    return cycle;
  }

  std::uint64_t cycles_in_state(unsigned state) const { return states_[state]; }

 private:
  using Answer = std::optional<Row>;
  struct Delay {
    std::deque<Answer> stages{std::nullopt, std::nullopt};
  };

  bool stalled(unsigned percent) { return random_() % 100 < percent; }

  void idle_inputs() {
    model_.cmd_valid_i = 0;
    model_.prd_ready_i = 0;
    model_.prd_rsp_valid_i = 0;
    model_.acc_ready_i = 0;
    model_.acc_rsp_valid_i = 0;
    model_.pwr_ready_i = 0;
    model_.wr_ready_i = 0;
  }

  void offer(const Command* command) {
    model_.cmd_valid_i = command != nullptr;
    if (command == nullptr) return;
    put_word(&model_.cmd_i[0], isa::encode(command->vec));
    put_word(&model_.prefix_i[0], isa::encode(command->vop));
  }
  static void put_word(WData* to, isa::Word word) {
    for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<std::uint32_t>((i < 2 ? word.lo : word.hi) >> (i % 2 * 32));
  }

  // Ready signals, acceptances, and the answers that appear after the coming clock edge.
  void cycle_ports() {
    // A refused answer's data is rubbish: whoever looks at it without valid shows.
    model_.prd_ready_i = (stalled(stalls_.a) ? 0 : 1) | (stalled(stalls_.b) ? 0 : 2);
    model_.acc_ready_i = !stalled(stalls_.acc);
    model_.pwr_ready_i = !stalled(stalls_.d);
    model_.wr_ready_i = !stalled(stalls_.copy);
    model_.clk_i = 0;
    model_.eval();
    for (unsigned p = 0; p < 2; ++p) {
      Answer answer;
      if ((model_.prd_valid_o & model_.prd_ready_i) >> p & 1) answer = read_ub(p);
      ub_[p].stages.push_back(answer);
    }
    Answer acc;
    if (model_.acc_valid_o && model_.acc_ready_i) acc = memory_.acc.at(model_.acc_row_o);
    acc_.stages.push_back(acc);
    if (model_.pwr_valid_o && model_.pwr_ready_i) write_d();
    if (model_.wr_valid_o && model_.wr_ready_i) write_copy();
    ++states_[model_.state_o];
  }
  Answer read_ub(unsigned port) {
    const std::uint32_t line = static_cast<std::uint32_t>(model_.prd_line_o >> (18 * port)) & 0x3FFFF;
    const bool pair = (model_.prd_pair_o >> port & 1) != 0;
    EXPECT_FALSE(pair && line % 2 != 0) << "pair read at an odd line";
    Row row;
    for (unsigned i = 0; i < 32; ++i)
      row[i] = i < 16 ? memory_.ub.at(line)[i] : pair ? memory_.ub.at(line + 1)[i - 16] : 0xDEADBEEF;
    return row;
  }
  void write_d() {
    const std::uint32_t line = model_.pwr_line_o;
    EXPECT_FALSE(model_.pwr_pair_o && line % 2 != 0) << "pair write at an odd line";
    for (unsigned i = 0; i < (model_.pwr_pair_o ? 32 : 16); ++i)
      memory_.ub.at(line + i / 16)[i % 16] = model_.pwr_data_o[i];
    ++d_rows_;
  }
  void write_copy() {
    for (unsigned i = 0; i < 16; ++i) memory_.ub.at(model_.wr_line_o)[i] = model_.wr_data_o[i];
    ++copy_rows_;
  }

  void tick() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
    answer();
  }
  void answer() {
    unsigned valid = 0;
    for (unsigned p = 0; p < 2; ++p) {
      if (ub_[p].stages.size() < 3) continue;
      const Answer row = ub_[p].stages.front();
      ub_[p].stages.pop_front();
      for (unsigned i = 0; i < 32; ++i) model_.prd_rsp_data_i[32 * p + i] = row ? (*row)[i] : random_();
      if (row) valid |= 1U << p;
    }
    model_.prd_rsp_valid_i = valid;
    if (acc_.stages.size() < 3) return;
    const Answer row = acc_.stages.front();
    acc_.stages.pop_front();
    model_.acc_rsp_valid_i = row.has_value();
    for (unsigned i = 0; i < 32; ++i) model_.acc_rsp_data_i[i] = row ? (*row)[i] : random_();
  }

  Memories& memory_;
  Stalls stalls_;
  std::mt19937 random_;
  VerilatedContext context_;
  Vvector_unit model_{&context_};
  Delay ub_[2], acc_;
  std::uint64_t d_rows_ = 0, copy_rows_ = 0, rows_expected_ = 0;
  std::uint64_t states_[4] = {};
};

}  // namespace heddle::test
