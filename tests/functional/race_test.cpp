// The rules of docs/design.md, section 5: what needs a token, what does not, and what one instruction may do alone.
#include "sim/functional/race.h"

#include <gtest/gtest.h>

#include "sim/functional/checker.h"
#include "tests/functional/program.h"

namespace heddle {
namespace {

using isa::Unit;
using test::bit;
using test::Program;
using Vec = isa::Vec;

std::optional<sim::Race> race(const Program& program, std::uint32_t cols = 32, std::uint64_t second_slot = 1 << 20) {
  sim::SlotLines lines{};
  lines[0] = lines[1] = 64;
  const auto checked = sim::check_program(test::config_of(cols), program.halted(), lines);
  EXPECT_EQ(checked.outcome.error, isa::Error::none) << "at " << checked.outcome.index;
  sim::SlotBases bases{};
  bases[1] = second_slot;
  return sim::find_race(test::config_of(cols), checked.steps, bases);
}

isa::Load load(std::uint32_t line, std::uint32_t wait = 0, std::uint32_t post = 0) {
  return {.wait = wait, .post = post, .buf_line = line};
}
isa::Store store(std::uint32_t line, std::uint32_t wait = 0, std::uint32_t post = 0) {
  return {.wait = wait, .post = post, .slot = 1, .buf_line = line};
}
Vec vec(std::uint32_t from, std::uint32_t to, std::uint32_t wait = 0, std::uint32_t post = 0) {
  return {.wait = wait, .post = post, .a_kind = Vec::AKind::bf16, .a_line = from, .d_line = to};
}

TEST(Race, TokensOrderAReadBehindTheWrite) {
  EXPECT_FALSE(race(Program() << load(5, 0, bit(Unit::store)) << store(5, bit(Unit::load))));
  const auto found = race(Program() << load(4) << load(5) << store(5));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->earlier, 1u);
  EXPECT_EQ(found->later, 2u);
  EXPECT_EQ(found->storage, sim::Storage::unified_buffer);
  EXPECT_EQ(found->line, 5u);
  EXPECT_EQ(
      found->message(),
      "race: instruction 2 (store) reads line 5 of the unified buffer, which instruction 1 (load) writes without an "
      "order between them; it needs a token from load to store posted by instruction 1 or a later one of its unit");
}

TEST(Race, TokensOrderAWriteBehindTheRead) {
  EXPECT_TRUE(race(Program() << store(5) << load(5)));
  EXPECT_FALSE(race(Program() << store(5, 0, bit(Unit::load)) << load(5, bit(Unit::store))));
}

TEST(Race, AnEarlierTokenDoesNotCoverALaterWrite) {
  EXPECT_TRUE(race(Program() << load(4, 0, bit(Unit::store)) << load(5) << store(5, bit(Unit::load))));
}

TEST(Race, ALaterTokenCoversEarlierWrites) {
  EXPECT_FALSE(race(Program() << load(5) << load(4, 0, bit(Unit::store)) << store(5, bit(Unit::load))));
}

TEST(Race, WaitsTakeTokensInTheOrderOfTheirPosts) {
  const Program two = Program() << load(4, 0, bit(Unit::store)) << load(5, 0, bit(Unit::store));
  EXPECT_TRUE(race(Program(two) << store(5, bit(Unit::load)) << store(9, bit(Unit::load))));
  EXPECT_FALSE(race(Program(two) << isa::Store{.wait = bit(Unit::load), .slot = 1, .mem_line = 1, .buf_line = 4}
                                 << store(5, bit(Unit::load))));
}

TEST(Race, OrderPassesThroughAThirdUnit) {
  EXPECT_FALSE(race(Program() << load(5, 0, bit(Unit::vector)) << vec(8, 9, bit(Unit::load), bit(Unit::store))
                              << store(5, bit(Unit::vector))));
}

TEST(Race, OrderStaysWithLaterInstructionsOfTheWaitingUnit) {
  EXPECT_FALSE(race(Program() << load(5, 0, bit(Unit::store)) << store(7, bit(Unit::load))
                              << isa::Store{.slot = 1, .mem_line = 1, .buf_line = 5}));
}

TEST(Race, CompletionDoesNotPassToInstructionsThatStartedWithoutIt) {
  // The second STORE knows nothing of the LOAD: the VEC that waited for it posted nothing.
  EXPECT_TRUE(race(Program() << load(5, 0, bit(Unit::vector)) << vec(8, 9, bit(Unit::load)) << store(5)));
}

TEST(Race, LoadsAndStoresToOneLineNeedATokenToThemselves) {
  EXPECT_TRUE(race(Program() << load(5) << load(5)));
  EXPECT_FALSE(race(Program() << load(5, 0, bit(Unit::load)) << load(5, bit(Unit::load))));
  EXPECT_TRUE(race(Program() << store(5) << store(6)));  // both to line 0 of slot 1
  EXPECT_FALSE(race(Program() << store(5, 0, bit(Unit::store)) << store(6, bit(Unit::store))));
}

TEST(Race, DeviceMemoryIsAPlaceToo) {
  const isa::Load reads{.slot = 1, .buf_line = 100};
  const auto found = race(Program() << store(5) << reads);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->storage, sim::Storage::memory);
  EXPECT_EQ(found->slot, 1u);
  EXPECT_FALSE(race(Program() << store(5, 0, bit(Unit::load)) << isa::Load{.wait = bit(Unit::store), .slot = 1}));
}

TEST(Race, SlotsMayShareMemory) {
  const Program program = Program() << store(5) << isa::Load{.slot = 0, .mem_line = 3, .buf_line = 100};
  EXPECT_FALSE(race(program));
  EXPECT_TRUE(race(program, 32, 3));  // slot 1 begins at line 3 of slot 0
}

TEST(Race, VecOrdersItsWritesButNotReadsOfThem) {
  EXPECT_FALSE(race(Program() << vec(1, 5) << vec(2, 5)));
  EXPECT_FALSE(race(Program() << vec(5, 1) << vec(2, 5)));
  EXPECT_TRUE(race(Program() << vec(1, 5) << vec(5, 2)));
  EXPECT_FALSE(race(Program() << vec(1, 5, 0, bit(Unit::vector)) << vec(5, 2, bit(Unit::vector))));
}

TEST(Race, MatmulOrdersItsAccumulators) {
  const isa::Wload wload{.ub_line = 100};
  EXPECT_FALSE(race(Program() << wload << isa::Matmul{} << wload << isa::Matmul{.accumulate = 1}));
}

Program matmul_then_vec(std::uint32_t matmul_row, std::uint32_t vec_row, bool token) {
  isa::Matmul matmul{.post = token ? bit(Unit::vector) : 0, .rows = 4, .acc_row = matmul_row};
  Vec reads{.wait = token ? bit(Unit::mxu) : 0, .a_kind = Vec::AKind::acc, .a_line = vec_row, .d_line = 500};
  return Program() << isa::Wload{.ub_line = 100} << matmul << reads;
}

TEST(Race, AccumulatorsArePlacesByRow) {
  EXPECT_TRUE(race(matmul_then_vec(8, 11, false)));
  EXPECT_FALSE(race(matmul_then_vec(8, 12, false)));
  EXPECT_FALSE(race(matmul_then_vec(8, 11, true)));
  EXPECT_TRUE(race(matmul_then_vec(8, 64 + 11, false), 64));  // columns 32 to 63
}

TEST(Race, AccumulatorsArePlacesByLaneGroup) {
  const auto program = [](std::uint32_t group, std::uint32_t halves) {
    return Program() << isa::Wload{.ub_line = 100} << isa::Matmul{.lane_group = group}
                     << isa::Store{.slot = 1, .n0 = halves, .source = isa::Store::Source::acc};
  };
  EXPECT_TRUE(race(program(0, 1), 8));
  EXPECT_TRUE(race(program(1, 1), 8));
  EXPECT_FALSE(race(program(2, 1), 8));
  EXPECT_TRUE(race(program(2, 2), 8));
}

TEST(Race, MaskedLinesAreNotRead) {
  // Tile rows 20 to 31 are masked, so a LOAD may write their lines.
  const auto program = [](std::uint32_t k_tail) {
    return Program() << load(100 + 25) << isa::Wload{.ub_line = 100, .row_stride = 1, .k_tail = k_tail}
                     << isa::Matmul{};
  };
  EXPECT_FALSE(race(program(20)));
  EXPECT_TRUE(race(program(26)));
}

TEST(Race, TransposedOperandsAreReadByLines) {
  const auto stream = [](std::uint32_t loaded) {
    return Program() << load(loaded) << isa::Wload{.ub_line = 100}
                     << isa::Matmul{.ub_line = 200, .row_stride = 3, .rows = 40, .transpose = 1, .k_tail = 10};
  };
  EXPECT_TRUE(race(stream(200 + 9 * 3)));
  EXPECT_TRUE(race(stream(200 + 9 * 3 + 1)));  // rows 32 to 39
  EXPECT_FALSE(race(stream(200 + 9 * 3 + 2)));
  EXPECT_FALSE(race(stream(200 + 10 * 3)));
}

TEST(Race, OneInstructionWritesNoPlaceTwice) {
  EXPECT_TRUE(race(Program() << isa::Load{.n0 = 3, .n1 = 2, .mem_stride1 = 3, .buf_stride1 = 2}));
  EXPECT_FALSE(race(Program() << isa::Load{.n0 = 3, .n1 = 2, .buf_stride1 = 3}));
  EXPECT_TRUE(race(Program() << isa::Store{.n0 = 3, .n1 = 2, .mem_stride1 = 2, .buf_stride1 = 3}));
  EXPECT_TRUE(race(Program() << Vec{.d_stride = 0, .rows = 2}));
  EXPECT_TRUE(
      race(Program() << isa::Vop{.copy = 1, .copy_line = 3, .copy_stride = 1} << Vec{.d_stride = 1, .rows = 4}));
  EXPECT_FALSE(race(Program() << isa::Vop{.reduce = isa::Vop::Reduce::row_sum} << Vec{.d_stride = 0, .rows = 9}));
}

TEST(Race, VecMayWorkInPlaceButNotOnRowsItWroteBefore) {
  const auto shifted = [](std::uint32_t from, std::uint32_t to) {
    return Program() << Vec{
               .a_kind = Vec::AKind::bf16, .a_line = from, .a_stride = 1, .d_line = to, .d_stride = 1, .rows = 4};
  };
  EXPECT_FALSE(race(shifted(10, 10)));
  EXPECT_TRUE(race(shifted(10, 11)));   // row 1 reads what row 0 wrote
  EXPECT_FALSE(race(shifted(11, 10)));  // every line is read before it is written
  // In place means the same format.
  EXPECT_TRUE(
      race(Program() << Vec{
               .a_kind = Vec::AKind::fp32, .a_line = 10, .a_stride = 2, .d_line = 10, .d_stride = 2, .rows = 4}));
  EXPECT_FALSE(
      race(Program() << isa::Vop{.reduce = isa::Vop::Reduce::row_sum}
                     << Vec{.a_kind = Vec::AKind::bf16, .a_line = 10, .a_stride = 1, .d_line = 12, .rows = 4}));
}

}  // namespace
}  // namespace heddle
