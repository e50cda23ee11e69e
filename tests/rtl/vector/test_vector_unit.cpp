// The vector unit, bit for bit against the plain-loop reference, and how fast it is.
#include <cstdlib>
#include <iostream>
#include <memory>

#include "tests/rtl/arith/floats.h"
#include "tests/rtl/vector/bench.h"

namespace heddle::test {
namespace {

using AKind = isa::Vec::AKind;
using BKind = isa::Vec::BKind;
using DKind = isa::Vec::DKind;
using Mul = isa::Vop::Mul;
using Add = isa::Vop::Add;
using Func = isa::Vop::Func;
using Reduce = isa::Vop::Reduce;

constexpr std::uint32_t kLines = 4096, kAccRows = 512;

// Numbers of every kind: ordinary ones, small integers (lane indices), specials.
class Values {
 public:
  explicit Values(std::uint64_t seed) : hard_(seed), random_(static_cast<std::uint32_t>(seed)) {}
  std::uint32_t operator()() {
    switch (random_() % 4) {
      case 0:
        return hard_();
      case 1:
        return as_bits(static_cast<float>(random_() % 40) - 4.0F);
      default:
        return as_bits((static_cast<float>(random_() % 20001) - 10000.0F) / 777.0F);
    }
  }

 private:
  HardFloats hard_;
  std::mt19937 random_;
};

Memories random_memories(std::uint64_t seed) {
  Values values(seed);
  std::mt19937 random(static_cast<std::uint32_t>(seed) + 7);
  Memories memory;
  memory.ub.resize(kLines);
  memory.acc.resize(kAccRows);
  for (Line& line : memory.ub) {
    const bool bf16 = random() % 2 != 0;  // fp32 words read as bf16 are as good a test, but rarely small integers
    for (std::uint32_t& word : line) word = bf16 ? (values() & 0xFFFF0000U) | values() >> 16 : values();
  }
  for (Row& row : memory.acc)
    for (std::uint32_t& word : row) word = values();
  return memory;
}

void expect_equal(const Memories& got, const Memories& want) {
  int reported = 0;
  for (std::uint32_t line = 0; line < kLines && reported < 4; ++line)
    for (unsigned i = 0; i < 16; ++i)
      if (got.ub[line][i] != want.ub[line][i]) {
        ADD_FAILURE() << "line " << line << " word " << i << std::hex << ": got " << got.ub[line][i] << ", want "
                      << want.ub[line][i];
        ++reported;
        break;
      }
}

// Runs the commands on the model and on the reference; returns the model's cycles.
std::uint64_t check(const std::vector<Command>& commands, std::uint64_t seed, const Stalls& stalls = {}) {
  Memories memory = random_memories(seed);
  Memories expected = memory;
  for (const Command& command : commands) VectorReference(command.vec, command.vop).execute(expected);
  VectorBench bench(memory, stalls, static_cast<std::uint32_t>(seed));
  const auto cycles = bench.run(commands);
  EXPECT_TRUE(cycles.has_value()) << "the unit hangs, or reports done without cause";
  expect_equal(memory, expected);
  return cycles.value_or(0);
}

// -------------------------------------------------------------------------------------------------- random programs

class RandomCommands {
 public:
  explicit RandomCommands(std::uint32_t seed) : random_(seed), values_(seed) {}

  Command operator()(std::uint32_t max_rows) {
    for (;;) {
      const Command command = draw(max_rows);
      if (legal(command)) return command;
    }
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  Command draw(std::uint32_t max_rows) {
    Command c;
    c.vec.rows = below(3) == 0 ? 1 + below(4) : 1 + below(max_rows);
    c.vec.a_kind = static_cast<AKind>(below(4));
    c.vec.b_kind = static_cast<BKind>(below(4));
    if (c.vec.a_kind == AKind::acc && c.vec.b_kind == BKind::acc) c.vec.b_kind = BKind::none;
    c.vec.d_kind = static_cast<DKind>(below(2));
    c.vop.mul = static_cast<Mul>(below(5));
    c.vop.add = static_cast<Add>(below(7));
    c.vop.func = static_cast<Func>(below(3) == 0 ? below(5) : below(2));
    c.vop.reduce = static_cast<Reduce>(below(2) == 0 ? 0 : below(4));
    c.vop.lanes = below(3) == 0 ? 32 : 1 + below(32);
    c.vop.copy = below(3) == 0;
    c.vop.imm_m = values_();
    c.vop.imm_a = values_();
    place(c.vec.a_line, c.vec.a_stride, c.vec.rows, static_cast<unsigned>(c.vec.a_kind));
    place(c.vec.b_line, c.vec.b_stride, c.vec.rows, static_cast<unsigned>(c.vec.b_kind));
    place(c.vec.d_line, c.vec.d_stride, c.vec.rows, c.vec.d_kind == DKind::fp32 ? 3 : 2);
    place(c.vop.copy_line, c.vop.copy_stride, c.vec.rows, 2);
    if (below(4) == 0 && in_place_fits(c)) {
      c.vec.d_line = c.vec.a_line;
      c.vec.d_stride = c.vec.a_stride;
    }
    return c;
  }
  static bool in_place_fits(const Command& c) {
    return (c.vec.a_kind == AKind::bf16 && c.vec.d_kind == DKind::bf16) ||
           (c.vec.a_kind == AKind::fp32 && c.vec.d_kind == DKind::fp32);
  }
  // A line and a stride that stay inside; kinds as VEC counts them.
  void place(std::uint32_t& line, std::uint32_t& stride, std::uint32_t rows, unsigned kind) {
    const std::uint32_t size = kind == 1 ? kAccRows : kLines, unit = kind == 3 ? 2 : 1;
    const std::uint32_t largest = rows == 1 ? 1022 : std::min<std::uint32_t>(1022, (size - unit) / (rows - 1));
    switch (below(4)) {
      case 0:
        stride = 0;
        break;
      case 1:
        stride = below(largest + 1);
        break;
      default:
        stride = std::min(unit, largest);
    }
    stride -= stride % unit;
    line = below(size - unit + 1 - (rows - 1) * stride);
    line -= line % unit;
  }
  // Within one instruction no line is written twice, and none is read that another row has written.
  static bool legal(const Command& c) {
    const Footprint f(c);
    if (f.writes_twice) return false;
    if (!f.reads_what(f)) return true;
    // In place, and nothing else in common.
    Command others = c;
    if (c.vop.reduce == Reduce::row_sum || !in_place_fits(c)) return false;
    if (c.vec.d_line != c.vec.a_line || c.vec.d_stride != c.vec.a_stride) return false;
    others.vec.a_kind = AKind::imm;
    if (Footprint(others).reads_what(f)) return false;
    others = c;
    others.vec.d_kind = DKind::bf16;
    others.vec.d_line = others.vop.copy != 0 ? others.vop.copy_line : 0;
    others.vec.d_stride = others.vop.copy != 0 ? others.vop.copy_stride : 0;
    return others.vop.copy == 0 || !f.reads_what(Footprint(others));
  }

  std::mt19937 random_;
  Values values_;
};

unsigned some_stall(std::mt19937& random) {
  constexpr unsigned kChoices[] = {0, 0, 10, 50, 90};
  return kChoices[random() % 5];
}

TEST(VectorUnit, RandomProgramsWithRandomStalls) {
  const char* replay = std::getenv("HEDDLE_SEED");
  const std::uint32_t first = replay != nullptr ? static_cast<std::uint32_t>(std::atoi(replay)) : 1000;
  const std::uint32_t count = replay != nullptr ? 1 : 150;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    std::mt19937 random(seed);
    Stalls stalls;
    if (random() % 4 != 0)
      stalls = {some_stall(random), some_stall(random), some_stall(random),
                some_stall(random), some_stall(random), some_stall(random)};
    RandomCommands next(seed);
    std::vector<Command> commands;
    const std::uint32_t max_rows = random() % 4 == 0 ? 200 : 24;
    for (unsigned i = 0; i < 1 + random() % 12; ++i) commands.push_back(next(max_rows));
    check(commands, seed, stalls);
    if (::testing::Test::HasFailure()) {
      std::cout << "replay: HEDDLE_SEED=" << seed << " test_rtl_vector_unit --gtest_filter=VectorUnit.Random*\n";
      return;
    }
  }
}

// ------------------------------------------------------------------------------------------- every combination once

// a in the accumulators, b fp32 from line 0, d from line 2048.
Command simple(std::uint32_t rows) {
  Command c;
  c.vec = {.a_kind = AKind::acc,
           .a_line = 3,
           .a_stride = 1,
           .b_kind = BKind::fp32,
           .b_line = 0,
           .b_stride = 2,
           .d_kind = DKind::fp32,
           .d_line = 2048,
           .d_stride = 2,
           .rows = rows};
  return c;
}

TEST(VectorUnit, EveryCombinationOfOperations) {
  std::mt19937 random(5);
  Values values(6);
  for (unsigned func = 0; func < 5; ++func) {
    std::vector<Command> commands;
    for (unsigned mul = 0; mul < 5; ++mul)
      for (unsigned add = 0; add < 7; ++add)
        for (unsigned reduce = 0; reduce < 4; ++reduce) {
          Command c = simple(3);
          c.vop = {.mul = static_cast<Mul>(mul),
                   .add = static_cast<Add>(add),
                   .func = static_cast<Func>(func),
                   .reduce = static_cast<Reduce>(reduce),
                   .lanes = 1 + static_cast<std::uint32_t>(random() % 32),
                   .copy = 1,
                   .copy_line = 4000,
                   .copy_stride = 1,
                   .imm_m = values(),
                   .imm_a = values()};
          c.vec.a_line = static_cast<std::uint32_t>(random() % 500);
          c.vec.b_line = static_cast<std::uint32_t>(random() % 500) * 2;
          c.vec.d_line += 8 * static_cast<std::uint32_t>(commands.size());
          c.vop.copy_line = 3300 + 4 * static_cast<std::uint32_t>(commands.size());
          commands.push_back(c);
        }
    check(commands, 10 + func);
  }
}

TEST(VectorUnit, EveryKindOfOperandAndResult) {
  std::vector<Command> commands;
  for (unsigned a = 0; a < 4; ++a)
    for (unsigned b = 0; b < 4; ++b)
      for (unsigned d = 0; d < 2; ++d) {
        if (a == 1 && b == 1) continue;
        Command c = simple(5);
        c.vec.a_kind = static_cast<AKind>(a);
        c.vec.b_kind = static_cast<BKind>(b);
        c.vec.d_kind = static_cast<DKind>(d);
        c.vec.a_line = 20;
        c.vec.a_stride = 2;
        c.vop.add = Add::b;
        c.vop.imm_m = as_bits(1.5F);
        c.vec.d_line += 10 * static_cast<std::uint32_t>(commands.size());
        commands.push_back(c);
      }
  check(commands, 20);
}

TEST(VectorUnit, EveryNumberOfLanes) {
  for (const Reduce reduce : {Reduce::lane_sum, Reduce::lane_max})
    for (const Func func : {Func::none, Func::reciprocal}) {
      std::vector<Command> commands;
      for (std::uint32_t lanes = 1; lanes <= 32; ++lanes) {
        Command c = simple(4);
        c.vop = {.func = func, .reduce = reduce, .lanes = lanes};
        c.vec.a_line = 4 * lanes;
        c.vec.d_line += 8 * lanes;
        commands.push_back(c);
      }
      check(commands, 30);
    }
}

TEST(VectorUnit, RowSumOfEveryNumberOfRows) {
  for (const std::uint32_t stall : {0U, 40U}) {
    std::vector<Command> commands;
    for (std::uint32_t rows = 1; rows <= 70; ++rows) {
      Command c = simple(rows);
      c.vop = {.add = Add::pass, .reduce = Reduce::row_sum};
      c.vec.b_kind = BKind::none;
      c.vec.d_line = 2048 + 2 * rows;
      commands.push_back(c);
    }
    check(commands, 40, {.acc = stall});
  }
}

TEST(VectorUnit, FunctionsOfSpecialValues) {
  Memories memory = random_memories(1);
  const std::uint32_t specials[] = {0,          0x80000000, 1,          0x807FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
                                    0xFF800001, 0x3F800000, 0xBF800000, 0x00800000, 0x7F7FFFFF, 0x42B17218, 0xC2AEAC50};
  for (unsigned l = 0; l < kLanes; ++l) memory.acc[0][l] = specials[l % std::size(specials)];
  Memories expected = memory;
  std::vector<Command> commands;
  for (unsigned func = 0; func < 5; ++func) {
    Command c = simple(1);
    c.vop.func = static_cast<Func>(func);
    c.vec.a_line = 0;
    c.vec.d_line += 2 * func;
    commands.push_back(c);
    VectorReference(c.vec, c.vop).execute(expected);
  }
  VectorBench bench(memory, {}, 1);
  ASSERT_TRUE(bench.run(commands).has_value());
  expect_equal(memory, expected);
}

// ------------------------------------------------------------------------------------------------------------ order

TEST(VectorUnit, LaterInstructionsWinWhereBothWrite) {
  std::vector<Command> commands;
  for (unsigned i = 0; i < 6; ++i) {
    Command c = simple(20);  // slow and quick ones by turns, all to the same lines
    if (i % 2 == 0) c.vop = {.mul = Mul::imm, .add = Add::b, .reduce = Reduce::lane_sum, .imm_m = as_bits(3.0F)};
    c.vec.a_line = i;
    commands.push_back(c);
  }
  check(commands, 50, {.d = 30});
}

// ---------------------------------------------------------------------------------------------- several units at once

TEST(VectorUnit, UnitsOfOneProcessLiveAndEndInAnyOrder) {
  constexpr unsigned kUnits = 3;
  std::vector<Memories> memory;
  for (unsigned i = 0; i < kUnits; ++i) memory.push_back(random_memories(80 + i));
  std::vector<Memories> expected = memory;
  std::vector<std::unique_ptr<VectorBench>> benches;
  for (unsigned i = 0; i < kUnits; ++i) benches.push_back(std::make_unique<VectorBench>(memory[i], Stalls{}, i));
  for (unsigned round = 0; round < kUnits; ++round) {
    for (unsigned i = 0; i < kUnits - round; ++i) {
      RandomCommands next(90 + kUnits * round + i);
      const std::vector<Command> commands = {next(24), next(24)};
      for (const Command& c : commands) VectorReference(c.vec, c.vop).execute(expected[i]);
      ASSERT_TRUE(benches[i]->run(commands).has_value()) << "unit " << i << " hangs in round " << round;
      expect_equal(memory[i], expected[i]);
    }
    benches.pop_back();  // the last one made ends first, and the others go on
  }
}

std::uint64_t cycles_refused(const Command& command, const Stalls& stalls) {
  Memories memory = random_memories(1);
  VectorBench bench(memory, stalls, 1);
  EXPECT_TRUE(bench.run({command}).has_value());
  return bench.cycles_in_state(2);
}

TEST(VectorUnit, ReportsWhyItWaits) {
  EXPECT_EQ(cycles_refused(simple(100), {}), 0u);
  EXPECT_GT(cycles_refused(simple(20), {.acc = 95}), 100u);
  EXPECT_GT(cycles_refused(simple(20), {.d = 95}), 100u);
}

// ------------------------------------------------------------------------------------------------------------ speed

TEST(VectorUnitSpeed, IndependentInstructionsFollowWithoutAGap) {
  std::vector<Command> commands;
  for (unsigned i = 0; i < 8; ++i) {
    Command c = simple(64);  // copies, products, sums, both
    if (i % 2 != 0) c.vop.mul = Mul::b;
    if (i / 2 % 2 != 0) c.vop.add = Add::b;
    c.vec.d_line = 2048 + 128 * i;
    commands.push_back(c);
  }
  EXPECT_LE(check(commands, 60), 8 * 64 + 32u);
}

TEST(VectorUnitSpeed, ShortInstructionsFollowWithoutAGap) {
  std::vector<Command> commands;
  for (unsigned i = 0; i < 100; ++i) {
    Command c = simple(4);
    c.vec.d_line = 2048 + 8 * i;
    commands.push_back(c);
  }
  EXPECT_LE(check(commands, 61), 400 + 20u);
}

struct Pass {
  const char* name;
  isa::Vop vop;
  std::uint32_t cycles;  // of 128 rows alone, from offer to done
};

TEST(VectorUnitSpeed, PassesAlone) {
  const Pass passes[] = {
      {"copy", {}, 128 + 13},
      {"product", {.mul = Mul::b}, 128 + 18},
      {"sum", {.add = Add::b}, 128 + 22},
      {"product and sum", {.mul = Mul::b, .add = Add::b}, 128 + 27},
      {"relu", {.func = Func::relu}, 128 + 13},
      {"lane_max", {.reduce = Reduce::lane_max}, 128 + 18},
      {"lane_sum", {.reduce = Reduce::lane_sum}, 128 + 58},
      {"row_sum", {.reduce = Reduce::row_sum}, 128 + 70},
      {"exp, 10 lanes", {.func = Func::exp, .lanes = 10}, 3 * 128 + 42},
      {"exp, 32 lanes", {.func = Func::exp}, 8 * 128 + 42},
      {"exp(a - b), lane_sum",
       {.add = Add::sub_b, .func = Func::exp, .reduce = Reduce::lane_sum, .lanes = 10},
       3 * 128 + 97},
  };
  for (const Pass& pass : passes) {
    Command c = simple(128);
    c.vop = pass.vop;
    const std::uint64_t cycles = check({c}, 70);
    std::cout << pass.name << ": " << cycles << " cycles for 128 rows\n";
    EXPECT_LE(cycles, pass.cycles) << pass.name;
  }
}

}  // namespace
}  // namespace heddle::test
