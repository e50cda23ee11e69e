// Instruction fetch from a simulated memory: every word once and in order, nothing beyond the program, errors in their
// place.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "Vinstruction_fetch.h"
#include "rtl/isa/isa.h"
#include "sim/verilated/axi_memory.h"
#include "sim/verilated/pins.h"
#include "tests/rtl/control/bench.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBytes = 1 << 20;

struct Seen {
  isa::Word word;
  bool error;
  std::uint64_t cycle;
};

class InstructionFetch : public testing::Test {
 public:
  InstructionFetch() : storage(1, kBytes) {
    for (std::uint64_t byte = 0; byte < kBytes; byte += 8) {
      const std::uint64_t value = random();
      std::memcpy(storage.at(byte, 8), &value, 8);
    }
  }

  void power_up(unsigned latency, unsigned stall) {
    sim::AxiTiming timing;
    timing.read_latency = latency;
    timing.stall_percent = stall;
    timing.seed = random();
    memory = std::make_unique<sim::AxiMemory>(storage, 1, timing);
    top.start_i = top.stop_i = top.word_ready_i = 0;
    top.rst_ni = 0;
    for (int i = 0; i < 3; ++i) cycle();
    top.rst_ni = 1;
    cycle();
  }

  void cycle() {
    memory->drive();
    const auto& pins = memory->pins(1);
    top.arready_i = pins.ar_ready;
    top.rvalid_i = pins.r_valid;
    top.rlast_i = pins.r_last;
    top.rresp_i = pins.r_response;
    std::copy(pins.r_data.begin(), pins.r_data.end(), sim::words(top.rdata_i));
    top.clk_i = 0;
    top.eval();
    sim::AxiMasterPins master;
    master.ar_valid = top.arvalid_o;
    master.ar_address = top.araddr_o;
    master.ar_length = top.arlen_o;
    master.r_ready = top.rready_o;
    if (top.arvalid_o) last_line = std::max(last_line, top.araddr_o / 64 + top.arlen_o);
    memory->clock(0, {});
    memory->clock(1, master);
    top.clk_i = 1;
    top.eval();
    ++now;
  }

  // Starts a program and takes up to `take` words, each cycle with probability `ready`; true when the end was reached.
  bool run(std::uint64_t address, std::uint32_t words, std::size_t take, unsigned ready) {
    while (!top.idle_o) cycle();
    seen.clear();
    last_line = 0;
    top.program_i = address;
    top.words_i = words;
    top.start_i = 1;
    started = now;
    cycle();
    top.start_i = 0;
    for (int limit = 0; limit < 200000; ++limit) {
      if (seen.size() == take) return false;
      top.word_ready_i = isa::test::below(random, 100) < ready;
      top.eval();
      if (top.word_valid_o && top.word_ready_i) {
        if (top.word_end_o) return true;
        seen.push_back(
            {{sim::get(top.word_o, 0, 64), sim::get(top.word_o, 64, 64)}, top.word_error_o != 0, now - started});
      }
      cycle();
    }
    ADD_FAILURE() << "no progress";
    return false;
  }

  void stop() {
    top.word_ready_i = 0;
    top.stop_i = 1;
    cycle();
    top.stop_i = 0;
  }

  void expect_words(std::uint64_t address, std::size_t count) {
    ASSERT_EQ(seen.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      isa::Word expected;
      std::memcpy(&expected, storage.at(address + 16 * i, 16), 16);
      ASSERT_EQ(seen[i].word, expected) << "word " << i;
    }
  }

  isa::test::Random random{1};
  sim::DeviceMemory storage;
  std::unique_ptr<sim::AxiMemory> memory;
  Vinstruction_fetch top;
  std::vector<Seen> seen;
  std::uint64_t now = 0, started = 0, last_line = 0;
};

TEST_F(InstructionFetch, DeliversEveryWordOnceAndReadsNothingElse) {
  const std::uint64_t seed = seed_or(1);
  SCOPED_TRACE(replay(seed));
  random.seed(seed);
  for (int i = 0; i < 200; ++i) {
    if (i % 10 == 0) power_up(1 + isa::test::below(random, 100), i % 20 ? 0 : 50);
    const std::uint32_t words = 1 + isa::test::below(random, i % 3 ? 40 : 400);
    const std::uint64_t address = 64 * isa::test::below(random, 1000);
    const std::uint64_t beats = memory->statistics(1).read_beats;
    const unsigned readiness[] = {100, 25, 60};
    ASSERT_TRUE(run(address, words, ~0ull, readiness[i % 3]));
    ASSERT_NO_FATAL_FAILURE(expect_words(address, words));
    EXPECT_EQ(last_line, (address + 16 * words - 1) / 64);
    stop();
    while (!top.idle_o) cycle();
    EXPECT_EQ(memory->statistics(1).read_beats - beats, (words + 3) / 4);
  }
}

TEST_F(InstructionFetch, EndsAtOnceWithoutWords) {
  power_up(80, 0);
  EXPECT_TRUE(run(64, 0, ~0ull, 100));
  EXPECT_TRUE(seen.empty());
  stop();
  EXPECT_EQ(memory->statistics(1).read_bursts, 0u);
}

TEST_F(InstructionFetch, FirstWordFollowsTheLatencyOfMemoryAndLaterOnesKeepADispatcherBusy) {
  power_up(80, 0);
  ASSERT_TRUE(run(7 * 64, 600, ~0ull, 100));
  EXPECT_LE(seen.front().cycle, 80 + 5u);
  EXPECT_LE(seen.back().cycle, 2 * 600 + 90u);  // twice as fast as a word every four cycles
}

TEST_F(InstructionFetch, MarksTheWordsOfAFailedLineOnly) {
  power_up(20, 30);
  memory->plant_error(64 * 5, 64 * 5 + 1);
  ASSERT_TRUE(run(0, 40, ~0ull, 50));
  ASSERT_EQ(seen.size(), 40u);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(seen[i].error, i / 4 == 5) << "word " << i;
}

TEST_F(InstructionFetch, StopsAtAnyTimeAndStartsAfresh) {
  const std::uint64_t seed = seed_or(2);
  SCOPED_TRACE(replay(seed));
  random.seed(seed);
  power_up(40, 20);
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t address = 64 * isa::test::below(random, 1000);
    const std::uint32_t words = 1 + isa::test::below(random, 100);
    const std::size_t take = isa::test::below(random, words);
    run(address, words, take, 70);
    for (unsigned wait = isa::test::below(random, 60); wait > 0; --wait) {
      top.word_ready_i = 0;
      cycle();
    }
    ASSERT_NO_FATAL_FAILURE(expect_words(address, take)) << "program " << i;
    stop();
    EXPECT_EQ(top.word_valid_o, 0);
  }
}

}  // namespace
}  // namespace heddle::test
