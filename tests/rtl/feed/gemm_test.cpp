// Weight unit and matrix unit together: products bit for bit against plain doubles, under stalls everywhere; pace and
// latency.
#include <algorithm>

#include "Vfeed_gemm_32.h"
#include "Vfeed_gemm_64.h"
#include "Vfeed_gemm_8.h"
#include "tests/rtl/feed/block_reference.h"
#include "tests/rtl/feed/harness.h"
#include "verilated.h"

namespace heddle::test {
namespace {

constexpr unsigned kAccRows = 256;

template <class M, unsigned C>
struct Shape {
  using Model = M;
  static constexpr unsigned kCols = C;
};

// One read port among those of a model, with the names that Buffer uses.
template <class Bit, class Wide>
struct PortView {
  const bool req_valid_o;
  const std::uint32_t req_line_o;
  Bit& req_ready_i;
  Bit& rsp_valid_i;
  Wide& rsp_data_i;
};
template <class Bit, class Wide>
PortView<Bit, Wide> view(bool valid, std::uint32_t line, Bit& ready, Bit& answered, Wide& data) {
  return {valid, line, ready, answered, data};
}

struct Product {
  isa::Wload wload;
  isa::Matmul matmul;
};

template <class S>
class Gemm : public ::testing::Test {
 protected:
  static constexpr unsigned kCols = S::kCols;
  static constexpr unsigned kReadRows = kAccRows * std::max(kCols / 32, 1u);

  struct Bench {
    explicit Bench(std::uint32_t seed, bool hard) : random(seed), streamed(8192, random), stationary(1, random) {
      fill(hard);
      stationary = streamed;
      accumulators.assign(kReadRows, {});
      model.rst_ni = 0;
      model.w_cmd_valid_i = model.m_cmd_valid_i = model.w_rsp_valid_i = model.m_rsp_valid_i = 0;
      model.w_req_ready_i = model.m_req_ready_i = model.vec_valid_i = model.store_valid_i = model.stall_i = 0;
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

    // Lines of one kind each: close exponents, any exponents, saturated, one element only, any bits (Inf and NaN among
    // them).
    void fill(bool hard) {
      for (std::uint32_t l = 0; l < streamed.size(); ++l) {
        const unsigned kind = hard ? random.in(0, 4) : random.in(0, 1) * 2;
        const unsigned hot = random.in(0, 31);
        for (unsigned i = 0; i < 32; ++i) {
          auto& value = streamed[l][i];
          const unsigned sign = random.bits() & 0x8000, fraction = random.bits() & 127;
          if (kind == 0) value = static_cast<std::uint16_t>(sign | random.in(118, 130) << 7 | fraction);
          if (kind == 1) value = static_cast<std::uint16_t>(sign | random.in(0, 254) << 7 | fraction);
          if (kind == 2) value = static_cast<std::uint16_t>(sign | 127 << 7 | 127);
          if (kind == 3) value = static_cast<std::uint16_t>(i == hot ? sign | random.in(60, 200) << 7 | fraction : 0);
          if (kind == 4)
            value = static_cast<std::uint16_t>(random.percent(2) ? random.bits() : sign | 64 << 7 | fraction);
        }
      }
    }

    Product product() {
      Product p;
      p.wload.ub_line = random.in(0, 500);
      p.wload.row_stride = random.edgy(0, 40);
      p.wload.pass_stride = random.in(0, 300);
      p.wload.transpose = random.percent(50);
      p.wload.cols = random.percent(50) ? kCols : random.in(1, kCols);
      if (!p.wload.transpose && kCols < 32) p.wload.lane_group = random.in(0, (32 - kCols) / 8);
      p.matmul.ub_line = random.in(0, 500);
      p.matmul.row_stride = random.edgy(0, 30);
      p.matmul.rows = random.percent(60) ? random.in(1, 20) : random.in(1, 90);
      p.matmul.pass_stride = random.in(0, 300);
      p.matmul.transpose = random.percent(50);
      p.matmul.acc_row =
          std::min(random.percent(70) ? random.in(0, 20) : random.in(0, kAccRows), kAccRows - p.matmul.rows);
      if (kCols < 32) p.matmul.lane_group = random.in(0, (32 - kCols) / 8);
      p.matmul.accumulate = random.percent(50);
      p.wload.passes = p.matmul.passes = random.in(1, 4);
      p.wload.k_tail = p.matmul.k_tail = random.edgy(1, 32);
      if (random.percent(10)) p.wload.k_tail = random.in(1, 32);  // the two tails need not agree
      return p;
    }

    // Sections 2 to 4.
    void expect(const Product& product) {
      const isa::Wload& w = product.wload;
      const isa::Matmul& m = product.matmul;
      w_words.push_back(isa::encode(w));
      m_words.push_back(isa::encode(m));
      for (unsigned p = 0; p < m.passes; ++p) {
        const bool tail = p + 1 == m.passes;
        std::vector<ReferenceBlock> column(kCols);
        for (unsigned c = 0; c < kCols; ++c) {
          Line values{};
          const unsigned lane = 8 * w.lane_group + c, first = w.ub_line + p * w.pass_stride;
          for (unsigned t = 0; c < w.cols && t < (tail ? w.k_tail : 32); ++t)
            values[t] = w.transpose ? stationary[first + c * w.row_stride][t]
                                    : stationary[first + t * w.row_stride + lane / 32][lane % 32];
          column[c] = to_reference_block(values);
        }
        for (unsigned i = 0; i < m.rows; ++i) {
          Line values{};
          const unsigned first = m.ub_line + p * m.pass_stride;
          for (unsigned t = 0; t < (tail ? m.k_tail : 32); ++t)
            values[t] = m.transpose ? streamed[first + t * m.row_stride + i / 32][i % 32]
                                    : streamed[first + i * m.row_stride][t];
          const ReferenceBlock row = to_reference_block(values);
          for (unsigned c = 0; c < kCols; ++c) {
            const unsigned lane = 8 * m.lane_group + c;
            auto& target = accumulators[m.acc_row + i + kAccRows * (lane / 32)][lane % 32];
            target = add_fp32(p == 0 && !m.accumulate ? 0 : target, block_product(row, column[c]));
          }
        }
      }
    }

    void step() {
      model.w_cmd_valid_i = w_sent < w_words.size() && !random.percent(stall_percent);
      if (model.w_cmd_valid_i) put_word(model.w_cmd_i, w_words[w_sent]);
      model.m_cmd_valid_i = m_sent < m_words.size() && !random.percent(stall_percent);
      if (model.m_cmd_valid_i) put_word(model.m_cmd_i, m_words[m_sent]);
      auto w_before = view(false, 0, model.w_req_ready_i, model.w_rsp_valid_i, model.w_rsp_data_i);
      auto m_before = view(false, 0, model.m_req_ready_i, model.m_rsp_valid_i, model.m_rsp_data_i);
      stationary.drive(w_before);
      streamed.drive(m_before);
      model.clk_i = 0;
      model.eval();
      if (model.w_cmd_valid_i && model.w_cmd_ready_o) ++w_sent;
      if (model.m_cmd_valid_i && model.m_cmd_ready_o) ++m_sent;
      auto w_after =
          view(model.w_req_valid_o, model.w_req_line_o, model.w_req_ready_i, model.w_rsp_valid_i, model.w_rsp_data_i);
      auto m_after =
          view(model.m_req_valid_o, model.m_req_line_o, model.m_req_ready_i, model.m_rsp_valid_i, model.m_rsp_data_i);
      stationary.observe(w_after);
      streamed.observe(m_after);
      if (model.m_done_o) ++m_done, done_cycle = cycle;
      if (model.w_done_o) ++w_done;
      model.clk_i = 1;
      model.eval();
      ++cycle;
    }

    void run() {
      std::size_t progress = 0;
      for (unsigned idle = 0; m_done < m_words.size(); ++idle) {
        step();
        const std::size_t now = m_done + w_done + streamed.answered + stationary.answered;
        if (now != progress) idle = 0;
        progress = now;
        ASSERT_LT(idle, 2000u) << "stuck at product " << m_done << " of " << m_words.size();
      }
      EXPECT_EQ(w_done, w_words.size());
      check_accumulators();
      EXPECT_EQ(model.w_state_o, 0);
      EXPECT_EQ(model.m_state_o, 0);
    }

    // At once after the last done: the rows written last come first.
    void check_accumulators() {
      for (unsigned i = 0; i < kReadRows; ++i) {
        const unsigned row = kReadRows - 1 - i;
        model.vec_valid_i = 1;
        model.vec_row_i = row;
        bool accepted = false;
        for (int wait = 0; wait < 100 && !accepted; ++wait) {
          model.clk_i = 0;
          model.eval();
          accepted = model.vec_ready_o;
          step();
        }
        ASSERT_TRUE(accepted);
        model.vec_valid_i = 0;
        step();
        step();
        ASSERT_TRUE(model.vec_rsp_valid_o);
        for (unsigned lane = 0; lane < 32; ++lane)
          ASSERT_EQ(model.vec_rsp_data_o[lane], accumulators[row][lane]) << "row " << row << " lane " << lane;
        step();
      }
    }

    Random random;
    Buffer streamed, stationary;
    std::vector<isa::Word> w_words, m_words;
    std::vector<std::array<std::uint32_t, 32>> accumulators;
    std::uint32_t stall_percent = 0;
    std::size_t w_sent = 0, m_sent = 0, w_done = 0, m_done = 0;
    long cycle = 0, done_cycle = 0;
    VerilatedContext context;
    typename S::Model model{&context};
  };

  // Each tile beside the last one; rows of the streamed side likewise.
  static Product plain(unsigned rows, unsigned passes, bool w_transpose, bool m_transpose) {
    Product p;
    p.wload.row_stride = kCols > 32 ? 2 : 1;
    p.wload.pass_stride = 64;
    p.wload.transpose = w_transpose;
    p.wload.cols = kCols;
    p.matmul.row_stride = m_transpose ? 8 : 1;
    p.matmul.rows = rows;
    p.matmul.pass_stride = 128;
    p.matmul.transpose = m_transpose;
    p.wload.passes = p.matmul.passes = passes;
    p.wload.k_tail = p.matmul.k_tail = 32;
    return p;
  }
};

using Shapes = ::testing::Types<Shape<Vfeed_gemm_8, 8>, Shape<Vfeed_gemm_32, 32>, Shape<Vfeed_gemm_64, 64>>;
TYPED_TEST_SUITE(Gemm, Shapes);

TYPED_TEST(Gemm, ComputesRandomProductsBitForBitUnderStalls) {
  for (const std::uint32_t seed : seeds(12)) {
    SCOPED_TRACE(replay(seed));
    typename TestFixture::Bench bench(seed, true);
    bench.stall_percent = bench.random.in(0, 2) * 40;
    bench.streamed.stall_percent = bench.random.in(0, 3) * 25;
    bench.stationary.stall_percent = bench.random.in(0, 3) * 25;
    for (int i = 0; i < 16; ++i) bench.expect(bench.product());
    bench.run();
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Gemm, Streams16PassesOf128RowsIn2048CyclesAndAConstant) {
  for (const bool w_transpose : {false, true})
    for (const bool m_transpose : {false, true}) {
      typename TestFixture::Bench bench(1, false);
      bench.expect(this->plain(128, 16, w_transpose, m_transpose));
      bench.run();
      EXPECT_LE(bench.done_cycle, 16 * 128 + 300) << w_transpose << m_transpose;
      if (this->HasFailure()) return;
    }
}

// The constant of one pass more or less is the pace itself.
TYPED_TEST(Gemm, LosesNoCycleBetweenPassesOrInstructions) {
  const unsigned rows = TestFixture::kCols > 32 ? 64 : 32;  // what one read port brings in the time of a pass
  for (const bool transpose : {false, true}) {
    long cycles[2];
    for (int longer : {0, 1}) {
      typename TestFixture::Bench bench(1, false);
      for (int i = 0; i < 4 + 8 * longer; ++i) bench.expect(this->plain(rows, 3, transpose, transpose));
      bench.run();
      cycles[longer] = bench.done_cycle;
    }
    EXPECT_EQ(cycles[1] - cycles[0], 8 * 3 * rows) << transpose;
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Gemm, FinishesASmallProductSoon) {
  typename TestFixture::Bench bench(1, false);
  auto p = this->plain(16, 1, false, false);
  p.wload.k_tail = p.matmul.k_tail = 16;
  p.wload.cols = std::min(TestFixture::kCols, 16u);
  bench.expect(p);
  bench.run();
  this->RecordProperty("cycles", static_cast<int>(bench.done_cycle));
  // 20 for the tile, 32 to shift it in, 16 rows, and the core's COLS + 63.
  EXPECT_LE(bench.done_cycle, 20 + 32 + 16 + TestFixture::kCols + 63 + 5);
}

}  // namespace
}  // namespace heddle::test
