// The load unit alone: random patterns from a simulated memory into a plain array, on 1, 2 and 4 ports.
#include <algorithm>
#include <memory>
#include <set>

#include "Vload_unit_1.h"
#include "Vload_unit_2.h"
#include "Vload_unit_4.h"
#include "tests/rtl/memory/bench.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBankBytes = 1 << 26;
constexpr unsigned kBufferLines = 1 << 18;

template <typename Top, unsigned Ports>
struct Shape {
  using Model = Top;
  static constexpr unsigned kPorts = Ports;
};

template <typename Shape>
class LoadUnit : public testing::Test {
 public:
  static constexpr unsigned kPorts = Shape::kPorts;

  void start(const sim::AxiTiming& timing, unsigned buffer_stall, std::uint64_t seed) {
    random.seed(seed);
    if (!storage) fill_storage();
    memory = std::make_unique<sim::AxiMemory>(*storage, kPorts, timing);
    stall = buffer_stall;
    for (unsigned s = 0; s < 16; ++s) {
      base[s] = (s % kPorts) * kBankBytes + (1 << 20) * (s + 1) + 64 * below(random, 64);
      sim::set(top->slot_base_i, s * 64, 64, base[s]);
    }
    top->cmd_valid_i = 0;
    reset(*top);
  }

  // Random lines, which no test changes.
  void fill_storage() {
    storage = std::make_unique<sim::DeviceMemory>(4, kBankBytes);
    for (unsigned bank = 0; bank < kPorts; ++bank)
      for (std::uint64_t byte = 1 << 20; byte < (18 << 20); byte += 8) {
        const std::uint64_t value = random();
        std::memcpy(storage->at(bank * kBankBytes + byte, 8), &value, 8);
      }
  }

  // One cycle; returns true if the command was accepted.
  bool cycle() {
    memory->drive();
    for (unsigned p = 0; p < kPorts; ++p) {
      const sim::AxiSlavePins& pins = memory->pins(p);
      sim::set(top->arready_i, p, 1, pins.ar_ready);
      sim::set(top->rvalid_i, p, 1, pins.r_valid);
      sim::set(top->rlast_i, p, 1, pins.r_last);
      sim::set(top->rresp_i, 2 * p, 2, pins.r_response);
      std::copy(pins.r_data.begin(), pins.r_data.end(), sim::words(top->rdata_i, p * 512));
      sim::set(top->wr_ready_i, p, 1, !percent(random, stall));
    }
    fall(*top);
    if (top->done_o) done.push_back(top->error_o);
    for (unsigned p = 0; p < kPorts; ++p) {
      sim::AxiMasterPins pins;
      pins.ar_valid = sim::get(top->arvalid_o, p, 1);
      pins.ar_address = sim::get(top->araddr_o, p * 64, 64);
      pins.ar_length = static_cast<std::uint8_t>(sim::get(top->arlen_o, p * 8, 8));
      pins.r_ready = sim::get(top->rready_o, p, 1);
      if (pins.ar_valid && first_address == 0) first_address = now;
      memory->clock(p, pins);
      if (sim::get(top->wr_valid_o, p, 1) && sim::get(top->wr_ready_i, p, 1)) {
        const std::uint32_t* words = sim::words(top->wr_data_o, p * 512);
        std::copy(words, words + 16, buffer[sim::get(top->wr_line_o, p * 18, 18)].begin());
        ++lines_written;
      }
    }
    const bool accepted = top->cmd_valid_i && top->cmd_ready_o;
    rise(*top);
    ++now;
    return accepted;
  }

  void run(const Pattern& pattern) {
    isa::Load load = pattern.body<isa::Load>();
    load.fill = pattern.special;
    set_word(top->cmd_i, isa::encode(load));
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

  Line in_memory(const Pattern& pattern, std::uint64_t line) const {
    Line value;
    std::memcpy(value.data(), storage->at(base[pattern.slot] + line * 64, 64), 64);
    return value;
  }

  std::unique_ptr<typename Shape::Model> top = std::make_unique<typename Shape::Model>();
  std::unique_ptr<sim::DeviceMemory> storage;
  std::unique_ptr<sim::AxiMemory> memory;
  std::array<std::uint64_t, 16> base{};
  std::vector<Line> buffer = std::vector<Line>(kBufferLines);
  std::vector<bool> done;  // errors of completed instructions
  Random random;
  unsigned stall = 0;
  std::uint64_t now = 0, first_address = 0, lines_written = 0;
};

using Shapes = testing::Types<Shape<Vload_unit_1, 1>, Shape<Vload_unit_2, 2>, Shape<Vload_unit_4, 4>>;
TYPED_TEST_SUITE(LoadUnit, Shapes);

// A pattern that fits, with buffer lines of its own from `next_line` on.
bool random_pattern(Random& random, std::uint64_t& next_line, Pattern& p) {
  p.slot = static_cast<unsigned>(below(random, 16));
  p.special = percent(random, 15);
  p.n = random_counts(random);
  p.mem_line = below(random, 4000);
  nest(random, p.n, percent(random, 30) ? 0 : p.n[0], p.mem_stride);  // memory may be read twice
  nest(random, p.n, p.n[0], p.buf_stride);
  p.buf_line = next_line;
  if (p.buf_line + p.buf_span() > kBufferLines || p.buf_stride[1] >= 1 << 14 || p.buf_stride[2] >= 1 << 16 ||
      p.buf_stride[3] >= 1 << 16 || p.mem_line + p.mem_span() > 16000) {
    return false;
  }
  next_line += p.buf_span();
  return true;
}

TYPED_TEST(LoadUnit, RandomPatternsMatchPlainLoops) {
  for (unsigned round = 0; round < 12; ++round) {
    const std::uint64_t seed = seed_or(200 + round);
    SCOPED_TRACE(replay(seed));
    Random random(seed);
    sim::AxiTiming timing;
    timing.read_latency = 1 + static_cast<unsigned>(below(random, 100));
    timing.bytes_per_cycle = percent(random, 50) ? 64 : 1 + static_cast<unsigned>(below(random, 64));
    timing.stall_percent = percent(random, 50) ? 0 : static_cast<unsigned>(below(random, 70));
    timing.outstanding = 1 + static_cast<unsigned>(below(random, 200));
    timing.seed = seed;
    this->done.clear();
    this->start(timing, percent(random, 50) ? 0 : static_cast<unsigned>(below(random, 70)), seed);

    Line mark;
    mark.fill(0x5A5A5A5A);
    std::fill(this->buffer.begin(), this->buffer.end(), mark);
    std::vector<Line> expected(kBufferLines, mark);
    std::uint64_t next_line = below(random, 100);
    std::vector<Pattern> patterns;
    std::size_t checked = 0;
    auto check_completed = [&] {
      for (; checked < this->done.size(); ++checked) {
        EXPECT_FALSE(this->done[checked]);
        patterns[checked].each([&](std::uint64_t, std::uint64_t line, std::uint64_t) {
          ASSERT_EQ(this->buffer[line], expected[line]) << "instruction " << checked << ", line " << line;
        });
      }
    };
    for (int i = 0; i < 120; ++i) {
      Pattern p;
      if (!random_pattern(random, next_line, p)) continue;
      patterns.push_back(p);
      p.each([&](std::uint64_t from, std::uint64_t to, std::uint64_t) {
        expected[to] = p.special ? Line{} : this->in_memory(p, from);
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
    ASSERT_TRUE(this->buffer == expected) << "a line was written that no pattern names";
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(LoadUnit, BurstsEndExactlyAtPageBoundaries) {
  this->start({}, 0, 1);
  std::size_t count = 0;
  const std::uint64_t page = 64 - this->base[0] / 64 % 64;  // lines to the first boundary in slot 0
  for (std::uint64_t first : {page, page - 1, page + 1, page + 63})
    for (std::uint64_t lines : {1, 2, 63, 64, 65, 128, 129}) {
      Pattern p;
      p.mem_line = first;
      p.n[0] = lines;
      const std::uint64_t bursts = this->memory->statistics(0).read_bursts;
      this->run(p);
      this->finish(++count);
      const std::uint64_t offset = (first - page) % 64;
      EXPECT_EQ(this->memory->statistics(0).read_bursts - bursts, (offset + lines + 63) / 64) << first << ' ' << lines;
      for (std::uint64_t i = 0; i < lines; ++i) ASSERT_EQ(this->buffer[i], this->in_memory(p, first + i));
    }
}

TYPED_TEST(LoadUnit, FirstAddressWithinFourCycles) {
  this->start({}, 0, 1);
  for (int i = 0; i < 10; ++i) this->cycle();
  const std::uint64_t begin = this->now;
  this->run(Pattern{});
  this->finish(1);
  EXPECT_LE(this->first_address - begin, 4u);
  EXPECT_LE(this->now - begin, 80u + 12);
}

TYPED_TEST(LoadUnit, LongRowsMoveALineACycle) {
  this->start({}, 0, 1);
  const std::uint64_t begin = this->now;
  for (int i = 0; i < 8; ++i) {  // eight instructions without a gap between them
    Pattern p;
    p.n[0] = 512;
    p.buf_line = 512u * i;
    this->run(p);
  }
  this->finish(8);
  EXPECT_LE(this->now - begin, 8 * 512u + 80 + 20);
}

TYPED_TEST(LoadUnit, SingleLineRowsHideTheLatency) {
  this->start({}, 0, 1);
  const std::uint64_t begin = this->now;
  Pattern p;
  p.n[1] = 2000;
  p.mem_stride[1] = 3;
  p.buf_stride[1] = 2;
  this->run(p);
  this->finish(1);
  EXPECT_LE(this->now - begin, 2000 * 10u / 7);  // 64 outstanding bursts in 80 cycles
}

TYPED_TEST(LoadUnit, PortsRunInParallelAndCompleteInProgramOrder) {
  this->start({}, 0, 1);
  const std::uint64_t begin = this->now;
  for (unsigned i = 0; i < 4 * this->kPorts; ++i) {
    Pattern p;
    p.slot = i;
    p.n[0] = 400 - 90 * (i % 4);  // later ones are ready earlier
    p.buf_line = 1000 * i;
    this->run(p);
  }
  this->finish(4 * this->kPorts);
  EXPECT_LE(this->now - begin, 4 * 400u + 200);
}

TYPED_TEST(LoadUnit, MemoryErrorsNameTheirInstructionAndNoOther) {
  this->start({}, 20, 3);
  for (unsigned i = 0; i < 40; ++i) {
    Pattern p;
    p.slot = i % 16;
    p.n[0] = 1 + i;
    p.mem_line = 100 * i;
    p.buf_line = 100 * i;
    if (i % 3 == 1) {  // somewhere in the pattern
      const std::uint64_t address = this->base[p.slot] + (p.mem_line + below(this->random, p.n[0])) * 64 + 5;
      this->memory->plant_error(address, address);
    }
    if (i == 30) p.mem_line = 200 << 20 >> 6;  // outside the port's bank: DECERR
    this->run(p);
  }
  this->finish(40);
  for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(this->done[i], i % 3 == 1 || i == 30) << i;
}

}  // namespace
}  // namespace heddle::test
