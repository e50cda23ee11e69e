// rtl/mxu/transposer.sv: any sizes of blocks, any pace, against the definition; and the pace that it promises.
#include "Vfeed_transposer.h"
#include "tests/rtl/feed/harness.h"
#include "verilated.h"

namespace heddle::test {
namespace {

struct Block {
  std::vector<Line> lines;
  unsigned rows;
};

// Plays blocks through the transposer. Lines arrive three cycles after their claims, as from the unified buffer.
class Bench {
 public:
  explicit Bench(std::uint32_t seed) : random(seed) {
    model_.rst_ni = 0;
    model_.claim_i = model_.line_valid_i = model_.row_ready_i = 0;
    for (int i = 0; i < 3; ++i) edge();
    model_.rst_ni = 1;
    edge();
  }
  ~Bench() { model_.final(); }

  Block block(unsigned lines, unsigned rows) {
    Block made{std::vector<Line>(lines), rows};
    for (auto& line : made.lines)
      for (auto& value : line) value = static_cast<std::uint16_t>(random.bits());
    return made;
  }

  void run(const std::vector<Block>& blocks) {
    struct Claim {
      std::size_t block = 0;
      unsigned line = 0;
      bool valid = false;
    };
    std::array<Claim, 3> pipe;
    std::size_t claim_block = 0, row_block = 0;
    unsigned claim_line = 0, row = 0;
    for (unsigned idle = 0; row_block < blocks.size(); ++cycle) {
      ASSERT_LT(idle++, 2000u) << "no row for a long time; block " << row_block;
      Claim next;
      if (claim_block < blocks.size() && model_.claim_ready_o && !random.percent(stall_percent))
        next = {claim_block, claim_line, true};
      const auto lines_of = [&](const Claim& c) { return blocks[c.block].lines.size(); };
      model_.claim_i = next.valid;
      model_.claim_last_i = next.valid && next.line + 1 == lines_of(next);
      const Claim arrived = pipe[2];
      model_.line_valid_i = arrived.valid;
      if (arrived.valid) {
        model_.line_last_i = arrived.line + 1 == lines_of(arrived);
        model_.line_rows_i = blocks[arrived.block].rows;
        put_line(model_.line_data_i, blocks[arrived.block].lines[arrived.line]);
        if (model_.line_last_i) last_line_cycle = cycle;
      }
      model_.row_ready_i = !random.percent(row_stall_percent);
      model_.clk_i = 0;
      model_.eval();
      if (model_.row_valid_o && model_.row_ready_i) {
        const Block& from = blocks[row_block];
        for (unsigned t = 0; t < 32; ++t) {
          const std::uint16_t expected = t < from.lines.size() ? from.lines[t][row] : 0;
          ASSERT_EQ(element(model_.row_data_o, t), expected)
              << "block " << row_block << " row " << row << " element " << t;
        }
        ASSERT_EQ(model_.row_last_o, row + 1 == from.rows);
        if (first_row_cycle < 0) first_row_cycle = cycle;
        last_row_cycle = cycle;
        idle = 0;
        if (++row == from.rows) row = 0, ++row_block;
      }
      model_.clk_i = 1;
      model_.eval();
      pipe = {next, pipe[0], pipe[1]};
      if (next.valid && ++claim_line == blocks[claim_block].lines.size()) claim_line = 0, ++claim_block;
    }
    EXPECT_TRUE(model_.idle_o);
    EXPECT_FALSE(model_.row_valid_o);
  }

  Random random;
  std::uint32_t stall_percent = 0, row_stall_percent = 0;
  long cycle = 0, last_line_cycle = -1, first_row_cycle = -1, last_row_cycle = -1;

 private:
  void edge() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }
  VerilatedContext context_;
  Vfeed_transposer model_{&context_};
};

TEST(Transposer, TurnsBlocksOfEverySizeAtAnyPace) {
  for (const std::uint32_t seed : seeds(30)) {
    SCOPED_TRACE(replay(seed));
    Bench bench(seed);
    bench.stall_percent = bench.random.in(0, 2) * 30;
    bench.row_stall_percent = bench.random.in(0, 3) * 25;
    std::vector<Block> blocks;
    for (unsigned i = 0; i < 60; ++i) blocks.push_back(bench.block(bench.random.edgy(1, 32), bench.random.edgy(1, 32)));
    bench.run(blocks);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Transposer, GivesTheFirstRowTwoCyclesAfterTheLastLine) {
  Bench bench(1);
  bench.run({bench.block(17, 5)});
  EXPECT_EQ(bench.first_row_cycle, bench.last_line_cycle + 2);
}

TEST(Transposer, SustainsOneRowACycleAcrossBlocks) {
  Bench bench(2);
  std::vector<Block> blocks;
  for (unsigned i = 0; i < 20; ++i) blocks.push_back(bench.block(32, 32));
  bench.run(blocks);
  EXPECT_EQ(bench.last_row_cycle - bench.first_row_cycle + 1, 20 * 32);
}

}  // namespace
}  // namespace heddle::test
