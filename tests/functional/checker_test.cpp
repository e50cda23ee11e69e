// Each error of docs/design.md, section 6, with the index of its word.
#include "sim/functional/checker.h"

#include <gtest/gtest.h>

#include "tests/functional/program.h"

namespace heddle {
namespace {

using isa::Error;
using isa::Unit;
using test::bit;
using test::Program;

sim::Outcome check(const std::vector<isa::Word>& words, std::uint32_t cols = 32) {
  sim::SlotLines slots{};
  slots[0] = slots[1] = 64;
  return sim::check_program(test::config_of(cols), words, slots).outcome;
}
sim::Outcome check(const Program& program, std::uint32_t cols = 32) { return check(program.halted(), cols); }
sim::Outcome failed(Error error, std::uint32_t index) { return {error, index}; }

TEST(Checker, AcceptsInstructionsAtTheirDefaults) {
  EXPECT_EQ(check(Program() << isa::Load{} << isa::Store{} << isa::Wload{} << isa::Matmul{} << isa::Vec{}),
            failed(Error::none, 5));
  EXPECT_EQ(check(Program() << isa::Dims{} << isa::Load{} << isa::Vop{} << isa::Vec{}), failed(Error::none, 4));
}

TEST(Checker, RunsPastTheEndWithoutHalt) {
  EXPECT_EQ(check(std::vector<isa::Word>{}), failed(Error::no_halt, 0));
  EXPECT_EQ(check((Program() << isa::Load{} << isa::Dims{}).words()), failed(Error::no_halt, 2));
}

TEST(Checker, DoesNotReadBehindHalt) {
  EXPECT_EQ(check(Program() << isa::Halt{} << isa::Word{~0ULL, ~0ULL}), failed(Error::none, 0));
}

TEST(Checker, NamesIllegalOpcodes) {
  for (std::uint64_t opcode : {0, 9, 31})
    EXPECT_EQ(check(Program() << isa::Load{} << isa::Word{opcode, 0}), failed(Error::illegal_opcode, 1)) << opcode;
}

TEST(Checker, NamesBitsOutsideOfFields) {
  EXPECT_EQ(check({isa::Word{1, 1}}), failed(Error::illegal_field, 0));
  isa::Word load = isa::encode(isa::Load{});
  load.hi |= 1ULL << (127 - 64);
  EXPECT_EQ(check(Program() << load), failed(Error::illegal_field, 0));
}

TEST(Checker, NamesValuesOutsideOfTheTable) {
  EXPECT_EQ(check(Program() << isa::Load{.n0 = 0}), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << isa::Vop{.lanes = 33} << isa::Vec{}), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << isa::Vop{.mul = static_cast<isa::Vop::Mul>(5)} << isa::Vec{}),
            failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << isa::Wload{.k_tail = 33} << isa::Matmul{}), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << isa::Wload{.cols = 9} << isa::Matmul{}, 8), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << isa::Wload{.cols = 8} << isa::Matmul{}, 8), failed(Error::none, 2));
}

TEST(Checker, NamesTheWordAfterAPrefixThatDoesNotBelongToIt) {
  EXPECT_EQ(check(Program() << isa::Dims{} << isa::Vec{}), failed(Error::illegal_field, 1));
  EXPECT_EQ(check(Program() << isa::Vop{} << isa::Load{}), failed(Error::illegal_field, 1));
  EXPECT_EQ(check(Program() << isa::Vop{} << isa::Vop{} << isa::Vec{}), failed(Error::illegal_field, 1));
  EXPECT_EQ(check(Program() << isa::Load{} << isa::Dims{}), failed(Error::illegal_field, 2));  // HALT
}

TEST(Checker, NamesFieldsThatContradictEachOther) {
  using Vec = isa::Vec;
  EXPECT_EQ(check(Program() << isa::Wload{.post = bit(Unit::mxu)} << isa::Matmul{}), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << isa::Store{.n0 = 3, .source = isa::Store::Source::acc}),
            failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << Vec{.a_kind = Vec::AKind::acc, .b_kind = Vec::BKind::acc}),
            failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << Vec{.a_kind = Vec::AKind::fp32, .a_line = 1}), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << Vec{.b_kind = Vec::BKind::fp32, .b_stride = 3}), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << Vec{.d_kind = Vec::DKind::fp32, .d_line = 7}), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << Vec{.a_kind = Vec::AKind::bf16, .a_line = 1, .a_stride = 1}), failed(Error::none, 1));
}

TEST(Checker, LimitsLaneGroupsToTheConfiguredColumns) {
  const auto group = [](std::uint32_t wload, std::uint32_t matmul, std::uint32_t transpose) {
    return Program() << isa::Wload{.lane_group = wload, .transpose = transpose} << isa::Matmul{.lane_group = matmul};
  };
  EXPECT_EQ(check(group(3, 3, 0), 8), failed(Error::none, 2));
  EXPECT_EQ(check(group(2, 2, 0), 16), failed(Error::none, 2));
  EXPECT_EQ(check(group(3, 0, 0), 16), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(group(1, 0, 1), 8), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(group(1, 0, 0), 32), failed(Error::illegal_field, 0));
  EXPECT_EQ(check(group(0, 1, 0), 64), failed(Error::illegal_field, 1));
  EXPECT_EQ(check(group(0, 3, 0), 16), failed(Error::illegal_field, 1));
}

// The unified buffer has 1024 lines, the accumulators 64 rows, slots 0 and 1 64 lines each.
TEST(Checker, LoadMayTouchTheLastLineButNotMore) {
  const auto load = [](std::uint32_t line, std::uint32_t memory) {
    return Program()
           << isa::Dims{.n2 = 2, .mem_stride2 = 20, .buf_stride2 = 100, .n3 = 2, .mem_stride3 = 30, .buf_stride3 = 200}
           << isa::Load{.mem_line = memory, .buf_line = line, .n0 = 3, .n1 = 2, .mem_stride1 = 5, .buf_stride1 = 10};
  };
  EXPECT_EQ(check(load(1023 - 312, 63 - 57)), failed(Error::none, 2));
  EXPECT_EQ(check(load(1023 - 311, 63 - 57)), failed(Error::ub_range, 1));
  EXPECT_EQ(check(load(1023 - 312, 63 - 56)), failed(Error::memory_range, 1));
  EXPECT_EQ(check(load(1023 - 311, 63 - 56)), failed(Error::ub_range, 1));
}

TEST(Checker, FillReadsNoMemory) {
  EXPECT_EQ(check(Program() << isa::Load{.slot = 9, .mem_line = 1 << 27, .fill = 1}), failed(Error::none, 1));
  EXPECT_EQ(check(Program() << isa::Load{.slot = 9}), failed(Error::memory_range, 0));
}

TEST(Checker, StoreFromAccumulatorsCountsRows) {
  const auto store = [](std::uint32_t row) {
    return Program() << isa::Store{
               .buf_line = row, .n0 = 2, .n1 = 3, .buf_stride1 = 4, .source = isa::Store::Source::acc};
  };
  EXPECT_EQ(check(store(63 - 8)), failed(Error::none, 1));
  EXPECT_EQ(check(store(63 - 7)), failed(Error::acc_range, 0));
  EXPECT_EQ(check(store(127 - 8), 64), failed(Error::none, 1));  // 64 columns are two rows of 32 lanes
  EXPECT_EQ(check(store(127 - 7), 64), failed(Error::acc_range, 0));
}

TEST(Checker, TilesKeepInsideTheBuffer) {
  const auto tile = [](std::uint32_t line, std::uint32_t transpose, std::uint32_t cols) {
    return Program() << isa::Wload{.ub_line = line,
                                   .row_stride = 4,
                                   .passes = 3,
                                   .pass_stride = 50,
                                   .transpose = transpose,
                                   .k_tail = 1,
                                   .cols = cols}
                     << isa::Matmul{.passes = 3};
  };
  EXPECT_EQ(check(tile(1023 - 224, 0, 5)), failed(Error::none, 2));  // 31 rows count although one is valid
  EXPECT_EQ(check(tile(1023 - 223, 0, 5)), failed(Error::ub_range, 0));
  EXPECT_EQ(check(tile(1023 - 224, 0, 40), 64), failed(Error::ub_range, 0));
  EXPECT_EQ(check(tile(1023 - 116, 1, 5)), failed(Error::none, 2));
  EXPECT_EQ(check(tile(1023 - 115, 1, 5)), failed(Error::ub_range, 0));
}

TEST(Checker, StreamedRowsKeepInsideBufferAndAccumulators) {
  const auto stream = [](std::uint32_t line, std::uint32_t transpose, std::uint32_t row) {
    return Program() << isa::Wload{.passes = 3}
                     << isa::Matmul{.ub_line = line,
                                    .row_stride = 4,
                                    .rows = 40,
                                    .passes = 3,
                                    .pass_stride = 50,
                                    .transpose = transpose,
                                    .acc_row = row};
  };
  EXPECT_EQ(check(stream(1023 - 256, 0, 24)), failed(Error::none, 2));
  EXPECT_EQ(check(stream(1023 - 255, 0, 24)), failed(Error::ub_range, 1));
  EXPECT_EQ(check(stream(1023 - 225, 1, 24)), failed(Error::none, 2));
  EXPECT_EQ(check(stream(1023 - 224, 1, 24)), failed(Error::ub_range, 1));
  EXPECT_EQ(check(stream(0, 0, 25)), failed(Error::acc_range, 1));
}

TEST(Checker, VecKeepsInsideBufferAndAccumulators) {
  using Vec = isa::Vec;
  EXPECT_EQ(check(Program() << Vec{.d_line = 1023 - 9, .d_stride = 1, .rows = 10}), failed(Error::none, 1));
  EXPECT_EQ(check(Program() << Vec{.d_line = 1023 - 8, .d_stride = 1, .rows = 10}), failed(Error::ub_range, 0));
  EXPECT_EQ(
      check(
          Program() << Vec{.a_kind = Vec::AKind::fp32, .a_line = 1024 - 20, .a_stride = 2, .d_stride = 1, .rows = 10}),
      failed(Error::none, 1));
  EXPECT_EQ(check(Program() << Vec{.a_kind = Vec::AKind::fp32, .a_line = 1024 - 18, .a_stride = 2, .rows = 10}),
            failed(Error::ub_range, 0));
  EXPECT_EQ(check(Program() << Vec{.b_kind = Vec::BKind::acc, .b_line = 60, .b_stride = 1, .rows = 5}),
            failed(Error::acc_range, 0));
  EXPECT_EQ(
      check(Program() << isa::Vop{.copy = 1, .copy_line = 1020, .copy_stride = 1} << Vec{.d_stride = 1, .rows = 5}),
      failed(Error::ub_range, 1));
  EXPECT_EQ(
      check(Program() << isa::Vop{.reduce = isa::Vop::Reduce::row_sum, .copy = 1, .copy_line = 1023, .copy_stride = 1}
                      << Vec{.d_line = 1022, .d_stride = 1, .rows = 500}),
      failed(Error::none, 2));
}

TEST(Checker, WaitsNeedAnEarlierPost) {
  const isa::Load posts{.post = bit(Unit::vector)};
  const isa::Vec waits{.wait = bit(Unit::load)};
  EXPECT_EQ(check(Program() << posts << waits), failed(Error::none, 2));
  EXPECT_EQ(check(Program() << waits << posts), failed(Error::token_underflow, 0));
  EXPECT_EQ(check(Program() << posts << waits << waits), failed(Error::token_underflow, 2));
  // An instruction's own post does not cover its wait.
  EXPECT_EQ(check(Program() << isa::Load{.wait = bit(Unit::load), .post = bit(Unit::load)}),
            failed(Error::token_underflow, 0));
}

TEST(Checker, AtMost63TokensBetweenTwoUnits) {
  Program program;
  for (int i = 0; i < 63; ++i) program << isa::Load{.post = bit(Unit::store)};
  EXPECT_EQ(check(program), failed(Error::none, 63));
  Program taken = program;
  EXPECT_EQ(check(taken << isa::Store{.wait = bit(Unit::load)} << isa::Load{.post = bit(Unit::store)}),
            failed(Error::none, 65));
  EXPECT_EQ(check(program << isa::Load{.post = bit(Unit::store)}), failed(Error::token_overflow, 63));
}

TEST(Checker, TilesAndTheirMatmulStandTogether) {
  EXPECT_EQ(check(Program() << isa::Matmul{}), failed(Error::tile_mismatch, 0));
  EXPECT_EQ(check(Program() << isa::Wload{}), failed(Error::tile_mismatch, 1));
  EXPECT_EQ(check(Program() << isa::Wload{} << isa::Load{} << isa::Matmul{}), failed(Error::tile_mismatch, 1));
  EXPECT_EQ(check(Program() << isa::Wload{} << isa::Vop{} << isa::Vec{}), failed(Error::tile_mismatch, 1));
  EXPECT_EQ(check(Program() << isa::Wload{} << isa::Wload{} << isa::Matmul{}), failed(Error::tile_mismatch, 1));
  EXPECT_EQ(check(Program() << isa::Wload{.passes = 2} << isa::Matmul{.passes = 3}), failed(Error::tile_mismatch, 1));
  EXPECT_EQ(check(Program() << isa::Wload{} << isa::Matmul{} << isa::Matmul{}), failed(Error::tile_mismatch, 2));
}

TEST(Checker, ChecksInTheOrderOfTheCodes) {
  // Field before range before token before tile.
  EXPECT_EQ(check(Program() << isa::Matmul{.wait = bit(Unit::load), .ub_line = 2000, .rows = 100, .k_tail = 0}),
            failed(Error::illegal_field, 0));
  EXPECT_EQ(check(Program() << isa::Matmul{.wait = bit(Unit::load), .ub_line = 2000, .rows = 100}),
            failed(Error::ub_range, 0));
  EXPECT_EQ(check(Program() << isa::Matmul{.wait = bit(Unit::load), .rows = 100}), failed(Error::acc_range, 0));
  EXPECT_EQ(check(Program() << isa::Matmul{.wait = bit(Unit::load)}), failed(Error::token_underflow, 0));
}

}  // namespace
}  // namespace heddle
