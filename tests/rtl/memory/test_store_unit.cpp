// The store unit alone: random patterns from plain arrays into a simulated memory, on 1, 2 and 4 ports.
#include <algorithm>
#include <deque>
#include <memory>

#include "Vstore_unit_1.h"
#include "Vstore_unit_2.h"
#include "Vstore_unit_4.h"
#include "tests/rtl/memory/bench.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBankBytes = 1 << 28;
constexpr unsigned kBufferLines = 1 << 14, kAccRows = 4096;
constexpr std::uint64_t kSlotLines = 1 << 15;

template <typename Top, unsigned Ports>
struct Shape {
  using Model = Top;
  static constexpr unsigned kPorts = Ports;
};

template <typename Shape>
class StoreUnit : public testing::Test {
 public:
  static constexpr unsigned kPorts = Shape::kPorts;

  void start(const sim::AxiTiming& timing, unsigned buffer_stall, std::uint64_t seed) {
    random.seed(seed);
    if (!storage) {
      storage = std::make_unique<sim::DeviceMemory>(4, kBankBytes);
      for (Line& line : buffer) line = random_line(random);
      for (Line& line : acc) line = random_line(random);
    }
    memory = std::make_unique<sim::AxiMemory>(*storage, kPorts, timing);
    stall = buffer_stall;
    for (unsigned s = 0; s < 16; ++s) {
      base[s] = (s % kPorts) * kBankBytes + kSlotLines * 64 * (s + 1) + 64 * below(random, 64);
      sim::set(top->slot_base_i, s * 64, 64, base[s]);
    }
    top->cmd_valid_i = 0;
    reset(*top);
    answers.assign(kPorts, {});
    acc_answers.clear();
  }

  bool cycle() {
    memory->drive();
    for (unsigned p = 0; p < kPorts; ++p) {
      const sim::AxiSlavePins& pins = memory->pins(p);
      sim::set(top->awready_i, p, 1, pins.aw_ready);
      sim::set(top->wready_i, p, 1, pins.w_ready);
      sim::set(top->bvalid_i, p, 1, pins.b_valid);
      sim::set(top->bresp_i, 2 * p, 2, pins.b_response);
      sim::set(top->rd_ready_i, p, 1, !percent(random, stall));
      const bool answer = !answers[p].empty() && answers[p].front().first == now;
      sim::set(top->rd_rsp_valid_i, p, 1, answer);
      if (answer) {
        const Line& line = buffer[answers[p].front().second];
        std::copy(line.begin(), line.end(), sim::words(top->rd_rsp_data_i, p * 512));
        answers[p].pop_front();
      }
    }
    top->acc_ready_i = !percent(random, stall);
    top->acc_rsp_valid_i = !acc_answers.empty() && acc_answers.front().first == now;
    if (top->acc_rsp_valid_i) {
      for (unsigned half = 0; half < 2; ++half) {
        const Line& line = acc[2 * acc_answers.front().second + half];
        std::copy(line.begin(), line.end(), sim::words(top->acc_rsp_data_i, half * 512));
      }
      acc_answers.pop_front();
    }
    fall(*top);
    if (top->done_o) done.push_back(top->error_o);
    for (unsigned p = 0; p < kPorts; ++p) {
      sim::AxiMasterPins pins;
      pins.aw_valid = sim::get(top->awvalid_o, p, 1);
      pins.aw_address = sim::get(top->awaddr_o, p * 64, 64);
      pins.aw_length = static_cast<std::uint8_t>(sim::get(top->awlen_o, p * 8, 8));
      pins.w_valid = sim::get(top->wvalid_o, p, 1);
      pins.w_last = sim::get(top->wlast_o, p, 1);
      pins.w_data = sim::words(top->wdata_o, p * 512);
      pins.b_ready = sim::get(top->bready_o, p, 1);
      if (pins.aw_valid && first_address == 0) first_address = now;
      if (pins.w_valid && first_data == 0) first_data = now;
      memory->clock(p, pins);
      if (sim::get(top->rd_valid_o, p, 1) && sim::get(top->rd_ready_i, p, 1))
        answers[p].push_back({now + 3, sim::get(top->rd_line_o, p * 18, 18) % kBufferLines});
    }
    if (top->acc_valid_o && top->acc_ready_i) acc_answers.push_back({now + 3, top->acc_row_o % kAccRows});
    const bool accepted = top->cmd_valid_i && top->cmd_ready_o;
    rise(*top);
    ++now;
    return accepted;
  }

  void run(const Pattern& pattern) {
    isa::Store store = pattern.body<isa::Store>();
    store.source = pattern.special ? isa::Store::Source::acc : isa::Store::Source::ub;
    set_word(top->cmd_i, isa::encode(store));
    set_word(top->prefix_i, pattern.dims());
    top->cmd_valid_i = 1;
    for (int i = 0; !cycle(); ++i) ASSERT_LT(i, 100000) << "the command is never accepted";
    top->cmd_valid_i = 0;
  }

  void finish(std::size_t instructions) {
    for (int i = 0; done.size() < instructions; ++i) {
      cycle();
      ASSERT_LT(i, 200000) << done.size() << " of " << instructions << " done\n" << memory->describe();
    }
  }

  Line in_memory(unsigned slot, std::uint64_t line) const {
    Line value;
    std::memcpy(value.data(), storage->at(base[slot] + line * 64, 64), 64);
    return value;
  }

  const Line& source(const Pattern& p, std::uint64_t line, std::uint64_t i0) const {
    return p.special ? acc[2 * line + i0] : buffer[line];
  }

  // A pattern that fits and writes no line twice, with memory of its own in its slot.
  bool random_pattern(std::array<std::uint64_t, 16>& next, Pattern& p) {
    p.slot = static_cast<unsigned>(below(random, 16));
    p.special = percent(random, 40);
    p.n = random_counts(random);
    if (p.special) p.n[0] = 1 + below(random, 2);
    nest(random, p.n, p.n[0], p.mem_stride);
    nest(random, p.n, percent(random, 30) ? 0 : p.n[0], p.buf_stride);
    p.buf_stride[0] = p.special ? 0 : 1;
    p.mem_line = next[p.slot];
    p.buf_line = below(random, 200);
    if (p.buf_line + p.buf_span() > (p.special ? kAccRows : kBufferLines) ||
        p.mem_line + p.mem_span() > kSlotLines - 64) {
      return false;
    }
    next[p.slot] += p.mem_span();
    return true;
  }

  std::unique_ptr<typename Shape::Model> top = std::make_unique<typename Shape::Model>();
  std::unique_ptr<sim::DeviceMemory> storage;
  std::unique_ptr<sim::AxiMemory> memory;
  std::array<std::uint64_t, 16> base{};
  std::vector<Line> buffer = std::vector<Line>(kBufferLines);
  std::vector<Line> acc = std::vector<Line>(2 * kAccRows);  // low half, high half of each row
  std::vector<std::deque<std::pair<std::uint64_t, std::uint64_t>>> answers;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> acc_answers;
  std::vector<bool> done;
  Random random;
  unsigned stall = 0;
  std::uint64_t now = 0, first_address = 0, first_data = 0;
};

using Shapes = testing::Types<Shape<Vstore_unit_1, 1>, Shape<Vstore_unit_2, 2>, Shape<Vstore_unit_4, 4>>;
TYPED_TEST_SUITE(StoreUnit, Shapes);

TYPED_TEST(StoreUnit, RandomPatternsMatchPlainLoops) {
  for (unsigned round = 0; round < 12; ++round) {
    const std::uint64_t seed = seed_or(300 + round);
    SCOPED_TRACE(replay(seed));
    Random random(seed);
    sim::AxiTiming timing;
    timing.write_latency = 1 + static_cast<unsigned>(below(random, 100));
    timing.bytes_per_cycle = percent(random, 50) ? 64 : 1 + static_cast<unsigned>(below(random, 64));
    timing.stall_percent = percent(random, 50) ? 0 : static_cast<unsigned>(below(random, 70));
    timing.outstanding = 1 + static_cast<unsigned>(below(random, 200));
    timing.seed = seed;
    this->done.clear();
    this->start(timing, percent(random, 50) ? 0 : static_cast<unsigned>(below(random, 70)), seed);

    Line mark;
    mark.fill(0xA5A5A5A5);
    std::array<std::uint64_t, 16> next{};
    std::array<std::vector<Line>, 16> expected;
    for (unsigned s = 0; s < 16; ++s) {
      expected[s].assign(kSlotLines - 64, mark);
      std::memcpy(this->storage->at(this->base[s], expected[s].size() * 64), expected[s].data(),
                  expected[s].size() * 64);
    }
    std::vector<Pattern> patterns;
    std::size_t checked = 0;
    auto check_completed = [&] {
      for (; checked < this->done.size(); ++checked) {
        const Pattern& p = patterns[checked];
        EXPECT_FALSE(this->done[checked]);
        p.each([&](std::uint64_t to, std::uint64_t from, std::uint64_t i0) {
          ASSERT_EQ(this->in_memory(p.slot, to), this->source(p, from, i0))
              << "instruction " << checked << ", line " << to;
        });
      }
    };
    for (int i = 0; i < 120; ++i) {
      Pattern p;
      if (!this->random_pattern(next, p)) continue;
      patterns.push_back(p);
      p.each([&](std::uint64_t to, std::uint64_t from, std::uint64_t i0) {
        expected[p.slot][to] = this->source(p, from, i0);
      });
      this->run(p);
      check_completed();
      if (percent(random, 10)) this->finish(patterns.size());
    }
    this->finish(patterns.size());
    check_completed();
    for (int i = 0; i < 200; ++i) this->cycle();
    EXPECT_EQ(this->done.size(), patterns.size());
    EXPECT_TRUE(this->memory->idle());
    for (unsigned s = 0; s < 16; ++s)
      ASSERT_EQ(std::memcmp(this->storage->at(this->base[s], 64), expected[s].data(), expected[s].size() * 64), 0)
          << "slot " << s << ": a line was written that no pattern names";
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(StoreUnit, BurstsEndExactlyAtPageBoundaries) {
  this->start({}, 0, 1);
  std::size_t count = 0;
  const std::uint64_t page = 64 - this->base[0] / 64 % 64;  // lines to the first boundary in slot 0
  for (std::uint64_t first : {page, page - 1, page + 1, page + 63})
    for (std::uint64_t lines : {1, 2, 63, 64, 65, 128, 129}) {
      Pattern p;
      p.mem_line = first;
      p.buf_line = 7;
      p.n[0] = lines;
      const std::uint64_t bursts = this->memory->statistics(0).write_bursts;
      this->run(p);
      this->finish(++count);
      const std::uint64_t offset = (first - page) % 64;
      EXPECT_EQ(this->memory->statistics(0).write_bursts - bursts, (offset + lines + 63) / 64) << first << ' ' << lines;
      for (std::uint64_t i = 0; i < lines; ++i) ASSERT_EQ(this->in_memory(0, first + i), this->buffer[7 + i]);
    }
}

TYPED_TEST(StoreUnit, StartsQuickly) {
  this->start({}, 0, 1);
  std::size_t count = 0;
  for (bool from_acc : {false, true})
    for (unsigned slot = 0; slot < this->kPorts; ++slot) {
      SCOPED_TRACE(testing::Message() << "slot " << slot << (from_acc ? ", accumulators" : ""));
      for (int i = 0; i < 10; ++i) this->cycle();
      const std::uint64_t begin = this->now;
      this->first_address = this->first_data = 0;
      Pattern p;
      p.slot = slot;
      p.special = from_acc;
      this->run(p);
      this->finish(++count);
      EXPECT_LE(this->first_address - begin, 4u);
      EXPECT_LE(this->first_data - begin, 7u);
      EXPECT_LE(this->now - begin, 80u + 14);
    }
}

TYPED_TEST(StoreUnit, PortsTogetherReadARowOfTheAccumulatorsACycle) {
  constexpr std::uint64_t kStores = 3, kRows = 400;
  this->start({}, 0, 1);
  const std::uint64_t begin = this->now;
  for (unsigned i = 0; i < kStores * this->kPorts; ++i) {
    Pattern p;
    p.slot = i;
    p.special = true;
    p.n = {1, kRows, 1, 1};
    p.mem_stride[1] = 2;
    p.buf_stride[1] = 1;
    this->run(p);
  }
  this->finish(kStores * this->kPorts);
  // One port alone is held up by its 64 outstanding bursts in about 85 cycles.
  EXPECT_LE(this->now - begin, kStores * kRows * std::max(this->kPorts * 1.0, 10 / 7.0) * 1.02 + 120);
  for (unsigned slot = 0; slot < kStores * this->kPorts; ++slot)
    for (std::uint64_t i = 0; i < kRows; ++i)
      ASSERT_EQ(this->in_memory(slot, 2 * i), this->acc[2 * i]) << "slot " << slot << ", row " << i;
}

TYPED_TEST(StoreUnit, LongRowsMoveALineACycle) {
  for (bool from_acc : {false, true}) {
    this->done.clear();
    this->start({}, 0, 1);
    const std::uint64_t begin = this->now;
    for (int i = 0; i < 8; ++i) {
      Pattern p;
      p.special = from_acc;
      p.n = from_acc ? std::array<std::uint64_t, 4>{2, 256, 1, 1} : std::array<std::uint64_t, 4>{512, 1, 1, 1};
      p.mem_stride[1] = 2;
      p.buf_stride[1] = 1;
      p.mem_line = 512u * i;
      this->run(p);
    }
    this->finish(8);
    // From accumulators a row is a burst of two beats, so 64 outstanding bursts hold 128 beats.
    EXPECT_LE(this->now - begin, 8 * 512u + 80 + (from_acc ? 500 : 20)) << from_acc;
  }
}

TYPED_TEST(StoreUnit, SingleLineRowsHideTheLatency) {
  this->start({}, 0, 1);
  const std::uint64_t begin = this->now;
  Pattern p;
  p.n[1] = 2000;
  p.mem_stride[1] = 3;
  p.buf_stride[1] = 2;
  this->run(p);
  this->finish(1);
  EXPECT_LE(this->now - begin, 2000 * 10u / 7);  // 64 outstanding bursts in about 85 cycles
}

TYPED_TEST(StoreUnit, SlowMemoryThatTakesEverythingIsNotOverrun) {
  sim::AxiTiming timing;
  timing.write_latency = 500;
  timing.outstanding = 1000;  // more than a port keeps account of
  this->start(timing, 0, 1);
  Pattern p;
  p.n[1] = 300;
  p.mem_stride[1] = 2;
  p.buf_stride[1] = 1;
  this->run(p);
  this->finish(1);
  for (std::uint64_t i = 0; i < 300; ++i) ASSERT_EQ(this->in_memory(0, 2 * i), this->buffer[i]);
  EXPECT_TRUE(this->memory->idle());
}

TYPED_TEST(StoreUnit, PortsRunInParallelAndCompleteInProgramOrder) {
  this->start({}, 0, 1);
  const std::uint64_t begin = this->now;
  for (unsigned i = 0; i < 4 * this->kPorts; ++i) {
    Pattern p;
    p.slot = i;
    p.n[0] = 400 - 90 * (i % 4);
    this->run(p);
  }
  this->finish(4 * this->kPorts);
  EXPECT_LE(this->now - begin, 4 * 400u + 200);
}

TYPED_TEST(StoreUnit, MemoryErrorsNameTheirInstructionAndNoOther) {
  this->start({}, 20, 3);
  for (unsigned i = 0; i < 40; ++i) {
    Pattern p;
    p.slot = i % 16;
    p.n[0] = 1 + i;
    p.mem_line = 100 * i;
    if (i % 3 == 1) {
      const std::uint64_t address = this->base[p.slot] + (p.mem_line + below(this->random, p.n[0])) * 64 + 5;
      this->memory->plant_error(address, address);
    }
    if (i == 30) p.mem_line = kBankBytes >> 6;  // outside the port's bank: DECERR
    this->run(p);
  }
  this->finish(40);
  for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(this->done[i], i % 3 == 1 || i == 30) << i;
}

}  // namespace
}  // namespace heddle::test
