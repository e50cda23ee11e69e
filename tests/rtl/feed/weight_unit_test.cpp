// rtl/mxu/weight_unit.sv with its transposer and FIFO: tiles and exponents against docs/design.md, section 4, for 8, 32
// and 64 columns; which lines it reads; how far it runs ahead; pace.
#include <algorithm>

#include "Vfeed_weight_32.h"
#include "Vfeed_weight_64.h"
#include "Vfeed_weight_8.h"
#include "tests/rtl/feed/harness.h"
#include "verilated.h"

namespace heddle::test {
namespace {

constexpr unsigned kTiles = 4;  // the FIFO's capacity in these models

struct Tile {
  std::vector<std::array<std::uint16_t, 32>> column;  // [column][k]
};

template <class M, unsigned C>
struct Shape {
  using Model = M;
  static constexpr unsigned kCols = C;
};

template <class S>
class WeightUnit : public ::testing::Test {
 protected:
  using Model = typename S::Model;
  static constexpr unsigned kCols = S::kCols;

  // The unit with a buffer, commands to play, and an array that takes tiles.
  struct Bench {
    explicit Bench(std::uint32_t seed) : random(seed), buffer(8192, random) {
      model.rst_ni = 0;
      model.cmd_valid_i = model.tile_read_i = model.tile_pop_i = model.rsp_valid_i = model.req_ready_i = 0;
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

    isa::Wload command() {
      isa::Wload w;
      w.ub_line = random.in(0, 500);
      w.row_stride = random.edgy(0, 40);
      w.passes = random.in(1, 5);
      w.pass_stride = random.in(0, 300);
      w.transpose = random.percent(50);
      w.k_tail = random.edgy(1, 32);
      w.cols = random.percent(50) ? kCols : random.in(1, kCols);
      if (!w.transpose && kCols < 32) w.lane_group = random.in(0, (32 - kCols) / 8);
      return w;
    }

    // Section 4, word for word.
    void expect(const isa::Wload& w) {
      for (unsigned p = 0; p < w.passes; ++p) {
        const unsigned k = p + 1 == w.passes ? w.k_tail : 32;
        Tile tile{std::vector<std::array<std::uint16_t, 32>>(kCols)};
        for (unsigned c = 0; c < w.cols; ++c)
          for (unsigned t = 0; t < k; ++t) {
            const unsigned lane = 8 * w.lane_group + c, first = w.ub_line + p * w.pass_stride;
            tile.column[c][t] = w.transpose ? buffer[first + c * w.row_stride][t]
                                            : buffer[first + t * w.row_stride + lane / 32][lane % 32];
          }
        tiles.push_back(tile);
        if (w.transpose) {
          for (unsigned c = 0; c < w.cols; ++c) lines.push_back(w.ub_line + p * w.pass_stride + c * w.row_stride);
        } else {
          for (unsigned t = 0; t < k; ++t)
            for (unsigned h = 0; h < (w.cols + 31) / 32; ++h)
              lines.push_back(w.ub_line + p * w.pass_stride + t * w.row_stride + h);
        }
      }
      lines_at_done.push_back(lines.size());
      tiles_at_done.push_back(tiles.size());
      words.push_back(isa::encode(w));
    }

    void step() {
      model.cmd_valid_i = sent < words.size() && !random.percent(stall_percent);
      if (model.cmd_valid_i) put_word(model.cmd_i, words[sent]);
      buffer.drive(model);
      check_tile_port();
      const bool read = taking && model.tile_valid_o && !random.percent(take_stall_percent);
      model.tile_read_i = read;
      model.tile_row_i = row;
      model.tile_pop_i = read && row == 0;
      model.clk_i = 0;
      model.eval();
      if (model.cmd_valid_i && model.cmd_ready_o) ++sent;
      if (model.tile_valid_o && first_valid_cycle < 0) first_valid_cycle = cycle;
      buffer.observe(model);
      ++state_cycles[model.state_o];
      model.clk_i = 1;
      model.eval();
      answer_row = -1;
      if (read) {
        answer_row = static_cast<int>(row);
        answer_tile = taken;
        if (row == 0) ++taken, last_pop_cycle = cycle;
        row = (row + 31) % 32;
      }
      if (model.done_o) check_done();
      ++cycle;
    }

    // After an edge: the row read in the cycle before, and the head's exponents.
    void check_tile_port() {
      for (unsigned c = 0; answer_row >= 0 && c < kCols; ++c) {
        ASSERT_EQ(element(model.tile_data_o, c), tiles[answer_tile].column[c][answer_row])
            << "tile " << answer_tile << " k " << answer_row << " column " << c;
      }
      if (!model.tile_valid_o) return;
      ASSERT_LT(taken, tiles.size()) << "a tile that nobody asked for";
      for (unsigned c = 0; c < kCols; ++c) {
        unsigned largest = 0;
        for (const auto value : tiles[taken].column[c]) largest = std::max(largest, (value >> 7) & 255u);
        ASSERT_EQ(exponent(c), largest) << "tile " << taken << " column " << c;
      }
    }
    unsigned exponent(unsigned c) const {
      if constexpr (kCols == 8)
        return static_cast<unsigned>(model.tile_exponent_o >> 8 * c) & 255;
      else
        return model.tile_exponent_o[c / 4] >> 8 * (c % 4) & 255;
    }

    void check_done() {
      ASSERT_LT(done, words.size());
      ASSERT_GE(buffer.answered, lines_at_done[done]) << "done before its lines were read";
      ASSERT_LE(tiles_at_done[done], taken + kTiles) << "done before its tiles had a place";
      ++done;
    }

    // Until every command is done and every tile taken.
    void run() {
      std::size_t progress = 0;
      for (unsigned idle = 0; taken < tiles.size() || done < words.size(); ++idle) {
        step();
        if (::testing::Test::HasFatalFailure()) return;
        const std::size_t now = taken + done + buffer.answered + (32 - row);
        if (now != progress) idle = 0;
        progress = now;
        ASSERT_LT(idle, 2000u) << "stuck at tile " << taken << " of " << tiles.size();
      }
      for (int i = 0; i < 20; ++i) step();
      EXPECT_EQ(buffer.reads, lines);
      EXPECT_EQ(done, words.size());
      EXPECT_EQ(model.state_o, 0);
      EXPECT_FALSE(model.tile_valid_o);
    }

    Random random;
    Buffer buffer;
    std::vector<isa::Word> words;
    std::vector<Tile> tiles;
    std::vector<std::uint32_t> lines;  // in the order in which they are read
    std::vector<std::size_t> lines_at_done, tiles_at_done;
    std::uint32_t stall_percent = 0, take_stall_percent = 0;
    bool taking = true;
    std::size_t sent = 0, taken = 0, done = 0;
    unsigned row = 31;
    int answer_row = -1;
    std::size_t answer_tile = 0;
    long cycle = 0, first_valid_cycle = -1, last_pop_cycle = -1;
    std::array<long, 4> state_cycles{};
    VerilatedContext context;
    Model model{&context};
  };

  static isa::Wload plain(unsigned passes, bool transpose) {
    isa::Wload w;
    w.row_stride = kCols > 32 && !transpose ? 2 : 1;
    w.passes = passes;
    w.pass_stride = 64;
    w.transpose = transpose;
    w.k_tail = 32;
    w.cols = kCols;
    return w;
  }
};

using Shapes = ::testing::Types<Shape<Vfeed_weight_8, 8>, Shape<Vfeed_weight_32, 32>, Shape<Vfeed_weight_64, 64>>;
TYPED_TEST_SUITE(WeightUnit, Shapes);

TYPED_TEST(WeightUnit, ReadsTheTilesOfRandomInstructions) {
  for (const std::uint32_t seed : seeds(30)) {
    SCOPED_TRACE(replay(seed));
    typename TestFixture::Bench bench(seed);
    bench.stall_percent = bench.random.in(0, 2) * 40;
    bench.take_stall_percent = bench.random.in(0, 3) * 30;
    bench.buffer.stall_percent = bench.random.in(0, 3) * 25;
    for (int i = 0; i < 25; ++i) bench.expect(bench.command());
    bench.run();
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(WeightUnit, FillsTheFifoBeforeAnybodyAsksAndNoFurther) {
  for (const bool transpose : {false, true}) {
    typename TestFixture::Bench bench(1);
    bench.taking = false;
    for (int i = 0; i < 3; ++i) bench.expect(this->plain(2, transpose));
    for (int i = 0; i < 1000; ++i) bench.step();
    EXPECT_EQ(bench.buffer.reads.size(), bench.lines.size() / 6 * kTiles);
    EXPECT_EQ(bench.done, 2u);
    EXPECT_EQ(bench.model.state_o, 3) << "waits for room in the FIFO";
    bench.taking = true;
    bench.run();
  }
}

TYPED_TEST(WeightUnit, HasASmallTileReadyFourCyclesAfterItsLastRead) {
  typename TestFixture::Bench bench(1);
  auto w = this->plain(1, false);
  w.k_tail = 16;
  w.cols = std::min(TestFixture::kCols, 16u);
  bench.expect(w);
  bench.run();
  // Command in cycle 0, reads in cycles 1 to 16.
  EXPECT_EQ(bench.first_valid_cycle, 16 + 4);
}

TYPED_TEST(WeightUnit, ReadsTilesWithoutAGapAcrossInstructions) {
  for (const bool transpose : {false, true}) {
    typename TestFixture::Bench bench(1);
    for (int i = 0; i < 8; ++i) bench.expect(this->plain(4, transpose));
    bench.run();
    const long per_tile = std::max<long>(32, static_cast<long>(bench.lines.size()) / 32);
    EXPECT_LE(bench.last_pop_cycle - bench.first_valid_cycle, 32 * per_tile + 8)
        << (transpose ? "transposed" : "straight");
  }
}

}  // namespace
}  // namespace heddle::test
