// The command processor against the plain model of docs/design.md, section 6, and the rules of order of section 5.
#include <algorithm>

#include "Vcommand_processor_16.h"
#include "Vcommand_processor_32.h"
#include "Vcommand_processor_64.h"
#include "rtl/isa/legality.h"
#include "tests/rtl/control/processor_bench.h"

namespace heddle::test {
namespace {

using isa::Error;

template <typename T, std::uint32_t Cols, std::uint32_t Lines, std::uint32_t Rows>
struct Shape {
  using Top = T;
  static constexpr Sizes kSizes{Cols, Lines, Rows};
};

// Instructions start in order, as dispatched, and each after the completions whose tokens it takes.
void check_order(const Verdict& verdict, const Outcome& outcome, bool may_be_shorter) {
  for (unsigned u = 0; u < 5; ++u) {
    std::vector<Dispatched> expected;
    for (const auto& x : verdict.dispatched)
      if (x.unit == u) expected.push_back(x);
    const std::size_t least = may_be_shorter ? 0 : expected.size() - (u == 1 && verdict.wload_alone ? 1 : 0);
    ASSERT_GE(outcome.started[u].size(), least) << "unit " << u;
    ASSERT_LE(outcome.started[u].size(), expected.size()) << "unit " << u;
    for (std::size_t i = 0; i < outcome.started[u].size(); ++i) {
      ASSERT_EQ(outcome.started[u][i].what.word, expected[i].word) << "unit " << u << " instruction " << i;
      if (u == 0 || u >= 3) {
        ASSERT_EQ(outcome.started[u][i].what.prefix, expected[i].prefix) << "unit " << u;
      }
    }
    if (!may_be_shorter && !(u == 1 && verdict.wload_alone)) {
      ASSERT_EQ(outcome.completed[u].size(), outcome.started[u].size()) << "unit " << u;
    }
  }
  for (unsigned from = 0; from < 5; ++from)
    for (unsigned to = 0; to < 5; ++to) {
      std::vector<std::uint64_t> posts;
      for (const auto& event : outcome.completed[from])
        if (event.what.post >> to & 1) posts.push_back(event.cycle);
      std::size_t taken = 0;
      for (const auto& event : outcome.started[to])
        if (event.what.wait >> from & 1) {
          ASSERT_LT(taken, posts.size()) << "unit " << to << " started without a token of unit " << from;
          ASSERT_GT(event.cycle, posts[taken++]) << "unit " << to << " started before unit " << from << " was done";
        }
    }
}

template <typename S>
class CommandProcessor : public testing::Test {
 public:
  using Bench = ProcessorBench<typename S::Top>;
  static constexpr Sizes kSizes = S::kSizes;

  Verdict expect(Bench& bench, const std::vector<isa::Word>& program, std::optional<std::uint32_t> fetch_error = {}) {
    const Verdict verdict = judge(program, bench.slots, kSizes, fetch_error);
    for (auto& list : bench.expected) list.clear();
    for (const auto& x : verdict.dispatched) bench.expected[x.unit].push_back(x);
    return verdict;
  }

  void check_counters(Bench& bench, const Outcome& outcome, std::uint64_t words) {
    const std::uint64_t cycles = bench.counter(0);
    ASSERT_LE(cycles, outcome.cycles);
    ASSERT_GE(cycles + 2, outcome.cycles);
    ASSERT_EQ(bench.counter(1), words);
    for (unsigned u = 0; u < 5; ++u) {
      std::uint64_t sum = 0;
      for (unsigned c = 0; c < 5; ++c) sum += bench.counter(2 + 5 * u + c);
      ASSERT_EQ(sum, cycles) << "unit " << u;
    }
  }

  Weather random_weather(Random& random) {
    Weather weather;
    const unsigned stalls[] = {0, 0, 30, 80};
    weather.word_stall = stalls[isa::test::below(random, 4)];
    weather.command_stall = stalls[isa::test::below(random, 4)];
    weather.refuse = stalls[isa::test::below(random, 4)];
    weather.longest = 1 + isa::test::below(random, 60);
    return weather;
  }
};

using Shapes =
    testing::Types<Shape<Vcommand_processor_16, 16, 2048, 256>, Shape<Vcommand_processor_32, 32, 16384, 2048>,
                   Shape<Vcommand_processor_64, 64, 65536, 1024>>;
TYPED_TEST_SUITE(CommandProcessor, Shapes);

TYPED_TEST(CommandProcessor, RunsRandomLegalProgramsInOrder) {
  const std::uint64_t seed = seed_or(1);
  SCOPED_TRACE(replay(seed));
  ProcessorBench<typename TypeParam::Top> bench(this->kSizes, seed);
  RandomProgram generator(bench.random, this->kSizes, bench.slots);
  for (int i = 0; i < 150; ++i) {
    const auto program = generator.legal(1 + isa::test::below(bench.random, 60));
    const Verdict verdict = this->expect(bench, program);
    ASSERT_EQ(verdict.error, Error::none) << "the generator is wrong at word " << verdict.index;
    const Outcome outcome = bench.run(program, this->random_weather(bench.random));
    ASSERT_TRUE(outcome.finished) << "program " << i << " hangs";
    ASSERT_EQ(outcome.error, Error::none) << "program " << i << " word " << outcome.index;
    ASSERT_NO_FATAL_FAILURE(check_order(verdict, outcome, false)) << "program " << i;
    ASSERT_NO_FATAL_FAILURE(this->check_counters(bench, outcome, verdict.words)) << "program " << i;
    ASSERT_EQ(bench.top.waiting_o, 0u);
  }
}

TYPED_TEST(CommandProcessor, NamesTheFaultOfCorruptedPrograms) {
  const std::uint64_t seed = seed_or(2);
  SCOPED_TRACE(replay(seed));
  ProcessorBench<typename TypeParam::Top> bench(this->kSizes, seed);
  RandomProgram generator(bench.random, this->kSizes, bench.slots);
  std::array<unsigned, 14> seen{};
  for (int i = 0; i < 4000; ++i) {
    auto program = generator.legal(1 + isa::test::below(bench.random, 12));
    for (unsigned n = 1 + isa::test::below(bench.random, 2); n > 0; --n) generator.corrupt(program);
    std::optional<std::uint32_t> fetch_error;
    if (isa::test::below(bench.random, 20) == 0) fetch_error = isa::test::below(bench.random, program.size() + 1);
    const Verdict verdict = this->expect(bench, program, fetch_error);
    ++seen[unsigned(verdict.error)];
    Weather weather = this->random_weather(bench.random);
    weather.fetch_error = fetch_error;
    const Outcome outcome = bench.run(program, weather);
    ASSERT_TRUE(outcome.finished) << "program " << i << " hangs";
    ASSERT_EQ(outcome.error, verdict.error) << "program " << i << " word " << verdict.index << " or " << outcome.index;
    ASSERT_EQ(outcome.index, verdict.error == Error::none ? 0 : verdict.index) << "program " << i;
    ASSERT_NO_FATAL_FAILURE(check_order(verdict, outcome, false)) << "program " << i;
    ASSERT_NO_FATAL_FAILURE(this->check_counters(bench, outcome, verdict.words)) << "program " << i;
  }
  for (const auto error :
       {Error::none, Error::illegal_opcode, Error::illegal_field, Error::ub_range, Error::acc_range,
        Error::memory_range, Error::token_underflow, Error::tile_mismatch, Error::no_halt, Error::axi_fetch})
    EXPECT_GT(seen[unsigned(error)], 10u) << "error " << unsigned(error) << " hardly occurs";
}

TYPED_TEST(CommandProcessor, ReportsTheEarliestAxiErrorAndRunsTheNextProgram) {
  const std::uint64_t seed = seed_or(3);
  SCOPED_TRACE(replay(seed));
  ProcessorBench<typename TypeParam::Top> bench(this->kSizes, seed);
  RandomProgram generator(bench.random, this->kSizes, bench.slots);
  for (int i = 0; i < 200; ++i) {
    auto program = generator.legal(2 + isa::test::below(bench.random, 20));
    if (isa::test::below(bench.random, 3) == 0) generator.corrupt(program);
    const Verdict verdict = this->expect(bench, program);
    Weather weather = this->random_weather(bench.random);
    std::optional<Dispatched> first;
    for (const auto& x : verdict.dispatched)
      if ((x.unit == 0 || x.unit == 4) && isa::test::below(bench.random, 4) == 0) {
        weather.failing.push_back(x.index);
        if (!first) first = x;
      }
    const Outcome outcome = bench.run(program, weather);
    ASSERT_TRUE(outcome.finished) << "program " << i << " hangs";
    if (!first) {
      ASSERT_EQ(outcome.error, verdict.error);
    } else {
      ASSERT_EQ(outcome.error, first->unit == 0 ? Error::axi_read : Error::axi_write) << "program " << i;
      ASSERT_EQ(outcome.index, first->index) << "program " << i;
    }
    ASSERT_NO_FATAL_FAILURE(check_order(verdict, outcome, first.has_value())) << "program " << i;
  }
}

TYPED_TEST(CommandProcessor, CountsTokensUpTo63) {
  ProcessorBench<typename TypeParam::Top> bench(this->kSizes, 4);
  const auto load = [](std::uint32_t wait, std::uint32_t post) {
    return encode(isa::Load{.wait = wait, .post = post, .fill = 1});
  };
  for (const std::uint32_t unit : {0u, 3u}) {
    for (const int posts : {63, 64}) {
      std::vector<isa::Word> program;
      for (int i = 0; i < posts; ++i) program.push_back(load(0, 1u << unit));
      if (unit == 0) program.push_back(load(1, 1));  // takes one and gives one: still full
      program.push_back(encode(isa::Halt{}));
      const Verdict verdict = this->expect(bench, program);
      ASSERT_EQ(verdict.error, posts == 63 ? Error::none : Error::token_overflow);
      const Outcome outcome = bench.run(program, {});
      ASSERT_TRUE(outcome.finished);
      ASSERT_EQ(outcome.error, verdict.error);
      ASSERT_EQ(outcome.index, verdict.index);
    }
  }
}

// Dispatched waits lower the account long before they take tokens, so more than 63 tokens may be there at a time.
TYPED_TEST(CommandProcessor, HoldsMoreThan63TokensWhileTheirTakerWaits) {
  ProcessorBench<typename TypeParam::Top> bench(this->kSizes, 5);
  const isa::Vec copy{.d_line = 0};
  std::vector<isa::Word> program;
  // The vector unit's first instruction waits for the store unit, whose only one takes long.
  program.push_back(encode(isa::Load{.post = 1 << 4, .fill = 1}));
  program.push_back(encode(isa::Store{.wait = 1, .post = 1 << 3, .slot = 0}));
  isa::Vec first = copy;
  first.wait = 1 << 4;
  for (int i = 0; i < 60; ++i) program.push_back(encode(isa::Load{.post = 1 << 3, .fill = 1}));
  program.push_back(encode(first));
  for (int i = 0; i < 16; ++i) {
    isa::Vec vec = copy;
    vec.wait = 1;
    program.push_back(encode(vec));
    program.push_back(encode(isa::Load{.post = 1 << 3, .fill = 1}));
  }
  program.push_back(encode(isa::Halt{}));
  const Verdict verdict = this->expect(bench, program);
  ASSERT_EQ(verdict.error, Error::none);
  Weather weather;
  weather.slow_unit = 4;
  const Outcome outcome = bench.run(program, weather);
  ASSERT_TRUE(outcome.finished);
  ASSERT_EQ(outcome.error, Error::none);
  ASSERT_NO_FATAL_FAILURE(check_order(verdict, outcome, false));
}

TYPED_TEST(CommandProcessor, WatchdogNamesTheOldestInstructionAndLeavesACleanMachine) {
  const std::uint64_t seed = seed_or(6);
  SCOPED_TRACE(replay(seed));
  ProcessorBench<typename TypeParam::Top> bench(this->kSizes, seed);
  bench.watchdog = 300;
  RandomProgram generator(bench.random, this->kSizes, bench.slots);
  unsigned expired = 0;
  for (int i = 0; i < 60; ++i) {
    const auto program = generator.legal(2 + isa::test::below(bench.random, 30));
    const Verdict verdict = this->expect(bench, program);
    Weather weather = this->random_weather(bench.random);
    weather.hang_unit = i % 5;
    Outcome outcome = bench.run(program, weather);
    ASSERT_TRUE(outcome.finished) << "program " << i;
    std::optional<std::uint32_t> oldest;
    for (const auto& x : verdict.dispatched)
      if (int(x.unit) == weather.hang_unit) {
        oldest = x.index;
        break;
      }
    if (!oldest) {
      ASSERT_EQ(outcome.error, Error::none);
      continue;
    }
    ++expired;
    ASSERT_EQ(outcome.error, Error::watchdog) << "program " << i;
    // A token or a full queue may keep an earlier instruction waiting, never a later one only.
    ASSERT_LE(outcome.index, *oldest) << "program " << i;
    ASSERT_EQ(bench.top.waiting_o >> 3 * weather.hang_unit & 7, 2u) << "program " << i;
    // The next program waits for memory, then runs normally.
    weather.hang_unit = -1;
    const auto next = generator.legal(5);
    const Verdict next_verdict = this->expect(bench, next);
    outcome = bench.run(next, weather);
    ASSERT_TRUE(outcome.finished) << "after program " << i;
    ASSERT_EQ(outcome.error, Error::none) << "after program " << i;
    ASSERT_NO_FATAL_FAILURE(check_order(next_verdict, outcome, false)) << "after program " << i;
    for (const auto& started : outcome.started)
      for (const auto& event : started)
        for (const auto leftover : outcome.leftovers) ASSERT_GT(event.cycle, leftover) << "after program " << i;
  }
  EXPECT_GT(expired, 20u);
}

TYPED_TEST(CommandProcessor, WatchdogCoversMemoryThatNeverAnswersAgain) {
  ProcessorBench<typename TypeParam::Top> bench(this->kSizes, 7);
  bench.watchdog = 200;
  const std::vector<isa::Word> program{encode(isa::Load{.fill = 1}), encode(isa::Halt{})};
  this->expect(bench, program);
  Weather weather;
  weather.hang_unit = 0;
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = bench.run(program, weather);
    ASSERT_TRUE(outcome.finished);
    EXPECT_EQ(outcome.error, Error::watchdog);
    EXPECT_EQ(outcome.index, 0u);
    EXPECT_LT(outcome.cycles, 300u);
  }
  weather.hang_unit = -1;
  const Outcome outcome = bench.run(program, weather);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.error, Error::none);
}

TYPED_TEST(CommandProcessor, DispatchesAWordEveryFourCyclesAndTheFirstWithinTen) {
  ProcessorBench<typename TypeParam::Top> bench(this->kSizes, 8);
  std::vector<isa::Word> program;
  for (int i = 0; i < 200; ++i) program.push_back(encode(isa::Load{.fill = 1}));
  program.push_back(encode(isa::Halt{}));
  this->expect(bench, program);
  const std::uint64_t begin = bench.now;
  const Outcome outcome = bench.run(program, {});
  ASSERT_TRUE(outcome.finished);
  EXPECT_LE(outcome.cycles, 4 * 201 + 20u);
  ASSERT_FALSE(outcome.started[0].empty());
  EXPECT_LE(outcome.started[0].front().cycle - begin, 10u);
}

}  // namespace
}  // namespace heddle::test
