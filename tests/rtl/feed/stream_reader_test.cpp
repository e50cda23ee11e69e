// rtl/mxu/stream_reader.sv with its transposer: rows, order and accumulator addresses against docs/design.md, section
// 4, in front of a core that offers passes as matrix_core does; distances between passes; pace.
#include <algorithm>
#include <map>

#include "Vfeed_stream.h"
#include "tests/rtl/feed/harness.h"
#include "verilated.h"

namespace heddle::test {
namespace {

constexpr unsigned kAccRows = 256, kPassLead = 4, kMinPassCycles = 12, kDoneLatency = 40;

struct Row {
  Line data{};
  bool is_switch, first, last;
  unsigned acc, lane_group;
};

struct Bench {
  explicit Bench(std::uint32_t seed) : random(seed), buffer(8192, random) {
    model.rst_ni = 0;
    model.cmd_valid_i = model.pass_ready_i = model.done_i = model.rsp_valid_i = model.req_ready_i = 0;
    for (int i = 0; i < 3; ++i) edge();
    model.rst_ni = 1;
    edge();
  }
  ~Bench() { model.final(); }

  void edge() {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
  }

  isa::Matmul command() {
    isa::Matmul m;
    m.ub_line = random.in(0, 500);
    m.row_stride = random.edgy(0, 30);
    m.rows = random.percent(70) ? random.in(1, 40) : random.in(1, 100);
    m.passes = random.in(1, 4);
    m.pass_stride = random.in(0, 300);
    m.transpose = random.percent(50);
    m.k_tail = random.edgy(1, 32);
    // Often close to the rows of the one before: that is where accumulators could recur too early.
    m.acc_row = std::min(random.percent(50) ? random.in(0, 20) : random.in(0, kAccRows), kAccRows - m.rows);
    m.lane_group = random.in(0, 3);
    m.accumulate = random.percent(50);
    return m;
  }

  // Section 4, word for word.
  void expect(const isa::Matmul& m) {
    for (unsigned p = 0; p < m.passes; ++p) {
      const unsigned k = p + 1 == m.passes ? m.k_tail : 32, first = m.ub_line + p * m.pass_stride;
      for (unsigned i = 0; i < m.rows; ++i) {
        Row row;
        for (unsigned t = 0; t < k; ++t)
          row.data[t] =
              m.transpose ? buffer[first + t * m.row_stride + i / 32][i % 32] : buffer[first + i * m.row_stride][t];
        row.is_switch = i == 0;
        row.first = p == 0 && !m.accumulate;
        row.last = p + 1 == m.passes && i + 1 == m.rows;
        row.acc = m.acc_row + i;
        row.lane_group = m.lane_group;
        rows.push_back(row);
        if (!m.transpose) lines.push_back(first + i * m.row_stride);
        if (m.transpose && i % 32 == 0)
          for (unsigned t = 0; t < k; ++t) lines.push_back(first + t * m.row_stride + i / 32);
      }
    }
    words.push_back(isa::encode(m));
  }

  void step() {
    model.cmd_valid_i = sent < words.size() && !random.percent(stall_percent);
    if (model.cmd_valid_i) put_word(model.cmd_i, words[sent]);
    buffer.drive(model);
    // The core: offers a pass, keeps offering until it starts, and offers the next one some time after the switch row.
    if (!offered && !reserved && cycle >= offer_cycle) offered = true;
    model.pass_ready_i = offered;
    model.done_i = !finishing.empty() && finishing.front() == cycle;
    if (model.done_i) finishing.pop_front(), ++done;
    model.clk_i = 0;
    model.eval();
    if (model.cmd_valid_i && model.cmd_ready_o) ++sent;
    if (model.row_valid_o) check_row();
    if (model.pass_start_o) {
      ASSERT_TRUE(offered);
      offered = false;
      reserved = true;
      start_cycle = cycle;
    }
    buffer.observe(model);
    ++state_cycles[model.state_o];
    model.clk_i = 1;
    model.eval();
    ++cycle;
  }

  void check_row() {
    ASSERT_LT(row, rows.size());
    const Row& expected = rows[row];
    for (unsigned t = 0; t < 32; ++t)
      ASSERT_EQ(element(model.row_data_o, t), expected.data[t]) << "row " << row << " k " << t;
    ASSERT_EQ(model.row_switch_o, expected.is_switch) << "row " << row;
    ASSERT_EQ(model.row_first_o, expected.first) << "row " << row;
    ASSERT_EQ(model.row_last_o, expected.last) << "row " << row;
    ASSERT_EQ(model.row_acc_o, expected.acc) << "row " << row;
    ASSERT_EQ(model.row_lane_group_o, expected.lane_group) << "row " << row;
    if (expected.is_switch) {
      ASSERT_TRUE(reserved) << "a pass without a tile";
      ASSERT_GE(cycle - start_cycle, kPassLead);
      reserved = false;
      // matrix_core's pace, or later, or at once: what the unit promises does not hang on it.
      offer_cycle = cycle + (fast_tiles ? 1 : 32 - kPassLead) + (slow_tiles ? random.in(0, 60) : 0);
    }
    const auto before = used.find(expected.acc);
    if (before != used.end()) {
      ASSERT_GE(cycle - before->second, kMinPassCycles) << "row " << row;
    }
    used[expected.acc] = cycle;
    if (expected.last) finishing.push_back(cycle + kDoneLatency);
    if (first_row_cycle < 0) first_row_cycle = cycle;
    last_row_cycle = cycle;
    ++row;
  }

  void run() {
    std::size_t progress = 0;
    for (unsigned idle = 0; row < rows.size() || done < words.size(); ++idle) {
      step();
      if (::testing::Test::HasFatalFailure()) return;
      if (row + done != progress) idle = 0;
      progress = row + done;
      ASSERT_LT(idle, 2000u) << "stuck at row " << row << " of " << rows.size();
    }
    for (int i = 0; i < 20; ++i) step();
    EXPECT_EQ(buffer.reads, lines);
    EXPECT_EQ(model.state_o, 0);
  }

  Random random;
  Buffer buffer;
  std::vector<isa::Word> words;
  std::vector<Row> rows;
  std::vector<std::uint32_t> lines;  // in the order in which they are read
  std::uint32_t stall_percent = 0;
  bool slow_tiles = false, fast_tiles = false;
  std::size_t sent = 0, row = 0, done = 0;
  bool offered = false, reserved = false;
  long cycle = 0, offer_cycle = 0, start_cycle = 0, first_row_cycle = -1, last_row_cycle = -1;
  std::deque<long> finishing;
  std::map<unsigned, long> used;  // accumulator row: cycle of its last use
  std::array<long, 4> state_cycles{};
  VerilatedContext context;
  Vfeed_stream model{&context};
};

isa::Matmul plain(unsigned rows, unsigned passes, bool transpose) {
  isa::Matmul m;
  m.row_stride = transpose ? 8 : 1;
  m.rows = rows;
  m.passes = passes;
  m.pass_stride = 256;
  m.transpose = transpose;
  m.k_tail = 32;
  return m;
}

TEST(StreamReader, StreamsTheRowsOfRandomInstructions) {
  for (const std::uint32_t seed : seeds(60)) {
    SCOPED_TRACE(replay(seed));
    Bench bench(seed);
    bench.stall_percent = bench.random.in(0, 2) * 40;
    bench.buffer.stall_percent = bench.random.in(0, 3) * 25;
    bench.slow_tiles = bench.random.percent(30);
    bench.fast_tiles = bench.random.percent(50);
    for (int i = 0; i < 20; ++i) bench.expect(bench.command());
    bench.run();
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StreamReader, StreamsPassesWithoutAGap) {
  for (const bool transpose : {false, true})
    for (const unsigned rows : {32u, 64u, 128u}) {
      Bench bench(1);
      bench.expect(plain(rows, 16, transpose));
      bench.run();
      EXPECT_EQ(bench.last_row_cycle - bench.first_row_cycle + 1, 16 * rows) << transpose << " " << rows;
    }
}

TEST(StreamReader, StreamsInstructionsOfOneModeWithoutAGap) {
  for (const bool transpose : {false, true}) {
    Bench bench(1);
    for (int i = 0; i < 12; ++i) bench.expect(plain(64, 2, transpose));
    bench.run();
    EXPECT_EQ(bench.last_row_cycle - bench.first_row_cycle + 1, 12 * 128) << transpose;
  }
}

TEST(StreamReader, LosesOneBlockToTheFirstTransposedInstructionAndLittleToLaterOnes) {
  Bench bench(1);
  for (const bool transpose : {false, false, true, true, false, true, false, true})
    bench.expect(plain(64, 2, transpose));
  bench.run();
  // A block's 32 lines have to be there before its first row: 37 reads ahead of the array, 5 more than the straight
  // rows that wait.
  EXPECT_LE(bench.last_row_cycle - bench.first_row_cycle + 1, 8 * 128 + 33 + 2 * 5);
}

TEST(StreamReader, StreamsOnThroughRefusalsOnceItsReadsAreAhead) {
  Bench bench(1);
  bench.offer_cycle = 100;  // until then its reads fill the place where rows wait
  bench.buffer.stall_percent = 10;
  bench.expect(plain(128, 1, false));
  bench.run();
  EXPECT_EQ(bench.last_row_cycle - bench.first_row_cycle + 1, 128);
}

TEST(StreamReader, HasItsFirstRowOutSixCyclesAfterTheCommand) {
  Bench bench(1);
  bench.expect(plain(16, 1, false));
  bench.run();
  EXPECT_EQ(bench.first_row_cycle, 6);  // command 0, read 1, answer 4, row 6
}

TEST(StreamReader, PadsShortPassesAndNoOthers) {
  for (const unsigned rows : {1u, 2u, 11u, 12u, 13u, 20u}) {
    Bench bench(1);
    bench.fast_tiles = true;
    bench.expect(plain(rows, 4, false));
    bench.run();
    EXPECT_EQ(bench.last_row_cycle - bench.first_row_cycle, 3 * std::max(rows, kMinPassCycles) + rows - 1) << rows;
  }
}

TEST(StreamReader, SaysThatItWaitsForATile) {
  Bench bench(1);
  bench.offer_cycle = 1000;
  bench.expect(plain(16, 1, false));
  for (int i = 0; i < 500; ++i) bench.step();
  EXPECT_EQ(bench.model.state_o, 3);
  EXPECT_GT(bench.state_cycles[3], 480);
  bench.run();
}

TEST(StreamReader, SaysThatItWaitsForTheBuffer) {
  Bench bench(1);
  bench.buffer.stall_percent = 100;
  bench.expect(plain(16, 1, false));
  for (int i = 0; i < 500; ++i) bench.step();
  EXPECT_EQ(bench.model.state_o, 2);
  bench.buffer.stall_percent = 0;
  bench.run();
}

}  // namespace
}  // namespace heddle::test
