// The unified buffer alone, against an array of lines.
#include <deque>
#include <memory>
#include <optional>

#include "Vunified_buffer_small.h"
#include "tests/rtl/memory/bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kLines = 64, kBanks = 8, kLineReads = 4, kLineWrites = 3, kPatience = 16;
constexpr unsigned kReaders = kLineReads + 2, kWriters = kLineWrites + 1;
constexpr unsigned kLatency = 3;

struct Request {
  unsigned line = 0;
  bool pair = false;
  std::array<Line, 2> data{};
  unsigned age = 0;
};

struct Answer {
  std::uint64_t cycle;
  bool pair;
  std::array<Line, 2> data;
};

// Drives all requesters, keeps the model, and checks every answer and every acceptance.
class Buffer {
 public:
  Buffer() {
    top_ = std::make_unique<Vunified_buffer_small>();
    top_->stall_i = 0;
    reset(*top_);
  }

  std::array<std::optional<Request>, kReaders> reads;
  std::array<std::optional<Request>, kWriters> writes;
  unsigned stall = 0;
  unsigned oldest = 0;  // longest wait of any accepted request
  std::array<bool, kReaders> read_accepted{};
  std::array<bool, kWriters> write_accepted{};

  void cycle() {
    apply();
    fall(*top_);
    check_answers();
    accept();
    rise(*top_);
    ++now_;
  }

 private:
  void apply() {
    top_->stall_i = stall;
    for (unsigned r = 0; r < kReaders; ++r) {
      const Request request = reads[r].value_or(Request{});
      if (r < kLineReads) {
        sim::set(top_->rd_valid_i, r, 1, reads[r].has_value());
        sim::set(top_->rd_line_i, r * 18, 18, request.line);
      } else {
        sim::set(top_->prd_valid_i, r - kLineReads, 1, reads[r].has_value());
        sim::set(top_->prd_pair_i, r - kLineReads, 1, request.pair);
        sim::set(top_->prd_line_i, (r - kLineReads) * 18, 18, request.line);
      }
    }
    for (unsigned w = 0; w < kWriters; ++w) {
      const Request request = writes[w].value_or(Request{});
      if (w < kLineWrites) {
        sim::set(top_->wr_valid_i, w, 1, writes[w].has_value());
        sim::set(top_->wr_line_i, w * 18, 18, request.line);
        std::copy(request.data[0].begin(), request.data[0].end(), sim::words(top_->wr_data_i, w * 512));
      } else {
        top_->pwr_valid_i = writes[w].has_value();
        top_->pwr_pair_i = request.pair;
        top_->pwr_line_i = request.line;
        for (unsigned half = 0; half < 2; ++half)
          std::copy(request.data[half].begin(), request.data[half].end(), sim::words(top_->pwr_data_i, half * 512));
      }
    }
  }

  void check_answers() {
    for (unsigned r = 0; r < kReaders; ++r) {
      const bool line_port = r < kLineReads;
      const bool valid =
          line_port ? sim::get(top_->rd_rsp_valid_o, r, 1) : sim::get(top_->prd_rsp_valid_o, r - kLineReads, 1);
      const bool due = !expected_[r].empty() && expected_[r].front().cycle == now_;
      ASSERT_EQ(valid, due) << "reader " << r << ", cycle " << now_;
      if (!due) continue;
      const Answer answer = expected_[r].front();
      expected_[r].pop_front();
      for (unsigned half = 0; half <= (answer.pair ? 1u : 0u); ++half) {
        const std::uint32_t* words = line_port ? sim::words(top_->rd_rsp_data_o, r * 512)
                                               : sim::words(top_->prd_rsp_data_o, (r - kLineReads) * 1024 + half * 512);
        Line line;
        std::copy(words, words + 16, line.begin());
        ASSERT_EQ(line, answer.data[half]) << "reader " << r << ", half " << half << ", cycle " << now_;
      }
    }
  }

  void accept() {
    unsigned read_banks = 0, write_banks = 0;
    for (unsigned r = 0; r < kReaders; ++r) {
      const bool ready =
          r < kLineReads ? sim::get(top_->rd_ready_o, r, 1) : sim::get(top_->prd_ready_o, r - kLineReads, 1);
      read_accepted[r] = reads[r] && ready;
      if (!reads[r]) continue;
      if (!ready) {
        ++reads[r]->age;
        continue;
      }
      ASSERT_FALSE(stall >> r & 1) << "a stalled reader was served";
      take_banks(*reads[r], read_banks);
      expected_[r].push_back({now_ + kLatency, reads[r]->pair, {lines_[reads[r]->line], lines_[reads[r]->line | 1]}});
      finish(reads[r]);
    }
    // A write is seen by reads that are accepted from the next cycle on.
    for (unsigned w = 0; w < kWriters; ++w) {
      const bool ready = w < kLineWrites ? sim::get(top_->wr_ready_o, w, 1) : top_->pwr_ready_o;
      write_accepted[w] = writes[w] && ready;
      if (!writes[w]) continue;
      if (!ready) {
        ++writes[w]->age;
        continue;
      }
      ASSERT_FALSE(stall >> (kReaders + w) & 1) << "a stalled writer was served";
      take_banks(*writes[w], write_banks);
      lines_[writes[w]->line] = writes[w]->data[0];
      if (writes[w]->pair) lines_[writes[w]->line | 1] = writes[w]->data[1];
      finish(writes[w]);
    }
  }

  static void take_banks(const Request& request, unsigned& banks) {
    const unsigned mask = 1u << request.line % kBanks | (request.pair ? 1u << (request.line | 1) % kBanks : 0);
    ASSERT_EQ(banks & mask, 0u) << "two accesses to one bank";
    banks |= mask;
  }

  void finish(std::optional<Request>& request) {
    oldest = std::max(oldest, request->age);
    request.reset();
  }

  std::unique_ptr<Vunified_buffer_small> top_;
  std::array<Line, kLines> lines_{};
  std::array<std::deque<Answer>, kReaders> expected_;
  std::uint64_t now_ = 0;
};

Request random_request(Random& random, bool pair_port, bool write, unsigned lines) {
  Request request;
  request.pair = pair_port && percent(random, 70);
  request.line = static_cast<unsigned>(below(random, lines));
  if (request.pair) request.line &= ~1u;
  if (write) request.data = {random_line(random), random_line(random)};
  return request;
}

TEST(UnifiedBuffer, IsZeroAtPowerUp) {
  Buffer buffer;
  for (unsigned line = 0; line < kLines; ++line) {
    buffer.reads[0] = Request{.line = line};
    buffer.cycle();
  }
  for (unsigned i = 0; i < 4; ++i) buffer.cycle();
}

TEST(UnifiedBuffer, ReadOneCycleAfterTheWriteSeesIt) {
  Random random(1);
  Buffer buffer;
  for (int i = 0; i < 20; ++i) {
    buffer.writes[0] = random_request(random, false, true, kLines);
    const unsigned line = buffer.writes[0]->line;
    buffer.cycle();
    buffer.reads[1] = Request{.line = line};
    buffer.cycle();
  }
  for (unsigned i = 0; i < 4; ++i) buffer.cycle();
}

TEST(UnifiedBuffer, RandomTrafficMatchesAnArray) {
  for (unsigned round = 0; round < 24; ++round) {
    const std::uint64_t seed = seed_or(100 + round);
    SCOPED_TRACE(replay(seed));
    Random random(seed);
    Buffer buffer;
    const unsigned load = 10 + static_cast<unsigned>(below(random, 91));
    const unsigned stalls = percent(random, 50) ? 0 : static_cast<unsigned>(below(random, 60));
    const unsigned lines = percent(random, 50) ? kLines : 1u << below(random, 6) << 1;  // few lines: many conflicts
    for (int i = 0; i < 1500; ++i) {
      for (unsigned r = 0; r < kReaders; ++r)
        if (!buffer.reads[r] && percent(random, load))
          buffer.reads[r] = random_request(random, r >= kLineReads, false, lines);
      for (unsigned w = 0; w < kWriters; ++w)
        if (!buffer.writes[w] && percent(random, load))
          buffer.writes[w] = random_request(random, w >= kLineWrites, true, lines);
      buffer.stall = 0;
      for (unsigned bit = 0; bit < kReaders + kWriters; ++bit)
        buffer.stall |= static_cast<unsigned>(percent(random, stalls)) << bit;
      buffer.cycle();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(UnifiedBuffer, NobodyStarvesWhenAllWantOneBank) {
  Buffer buffer;
  std::array<unsigned, kReaders> served{};
  std::array<unsigned, kWriters> written{};
  for (int i = 0; i < 4000; ++i) {
    for (unsigned r = 0; r < kReaders; ++r)
      if (!buffer.reads[r]) buffer.reads[r] = Request{.line = 8, .pair = r >= kLineReads};
    for (unsigned w = 0; w < kWriters; ++w)
      if (!buffer.writes[w]) buffer.writes[w] = Request{.line = 8, .pair = w >= kLineWrites};
    buffer.cycle();
    for (unsigned r = 0; r < kReaders; ++r) served[r] += buffer.read_accepted[r];
    for (unsigned w = 0; w < kWriters; ++w) written[w] += buffer.write_accepted[w];
  }
  for (unsigned count : served) EXPECT_GE(count, 4000 / (kReaders * (kPatience + 2)) - 1);
  for (unsigned count : written) EXPECT_GE(count, 4000 / (kWriters * (kPatience + 2)) - 1);
  EXPECT_LE(buffer.oldest, kReaders * (kPatience + 2));
  EXPECT_GE(served[0], 4000u * 60 / 100) << "the matrix unit comes first";
}

TEST(UnifiedBuffer, StreamsInDifferentBanksAllRunAtFullRate) {
  Buffer buffer;
  std::array<unsigned, kReaders> served{};
  for (unsigned i = 0; i < 1000; ++i) {
    for (unsigned r = 0; r < kReaders; ++r)  // banks 0 to 3 one each, pairs in 4, 5 and 6, 7; all move on together
      if (!buffer.reads[r]) {
        const unsigned at = r < kLineReads ? r : kLineReads + 2 * (r - kLineReads);
        buffer.reads[r] = Request{.line = (2 * i + at) % kLines, .pair = r >= kLineReads};
      }
    buffer.cycle();
    for (unsigned r = 0; r < kReaders; ++r) served[r] += buffer.read_accepted[r];
  }
  for (unsigned count : served) EXPECT_EQ(count, 1000u);
}

}  // namespace
}  // namespace heddle::test
