// The small parts of the compiler: memory, tiles, layout of tensors.
#include <gtest/gtest.h>

#include "common/error.h"
#include "host/compiler/device_tensor.h"
#include "host/compiler/line_allocator.h"
#include "host/compiler/tile_places.h"
#include "rtl/isa/isa.h"

namespace heddle::compiler {
namespace {

TEST(LineAllocator, FillsGapsAtEvenLines) {
  LineAllocator lines("buffer", 20);
  EXPECT_EQ(lines.allocate(3, "a"), 0U);
  EXPECT_EQ(lines.allocate(4, "b"), 4U);
  EXPECT_EQ(lines.allocate(2, "c"), 8U);
  lines.release(4);
  EXPECT_EQ(lines.largest_gap(), 10U);
  EXPECT_EQ(lines.allocate(5, "d"), 10U);
  EXPECT_EQ(lines.allocate(4, "e"), 4U);
}

TEST(LineAllocator, SaysForWhatThereWasNoRoom) {
  LineAllocator lines("unified buffer", 8);
  lines.allocate(6, "a");
  try {
    lines.allocate(4, "the activations");
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("the activations needs 4"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("2 of 8"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(lines.try_allocate(3));
  EXPECT_TRUE(lines.try_allocate(2));
}

TEST(LineAllocator, RotatingUsesLastWhatWasFreedLast) {
  LineAllocator lines("accumulators", 30, LineAllocator::Policy::rotating);
  const auto first = lines.allocate(10, "a");
  lines.release(first);
  EXPECT_EQ(lines.allocate(10, "b"), 10U);
  EXPECT_EQ(lines.allocate(10, "c"), 20U);
  EXPECT_EQ(lines.allocate(10, "d"), 0U);
}

TEST(TileCache, EvictsTheLeastRecentlyUsed) {
  TileCache cache(100, 10, 2);
  EXPECT_TRUE(cache.ask(0, 0).missing);
  EXPECT_TRUE(cache.ask(0, 1).missing);
  EXPECT_FALSE(cache.ask(0, 0).missing);
  const auto third = cache.ask(0, 2);
  EXPECT_TRUE(third.missing);
  EXPECT_EQ(third.line, 110U);  // where (0, 1) was
  EXPECT_FALSE(cache.ask(0, 0).missing);
  EXPECT_TRUE(cache.ask(0, 1).missing);
}

// What the LOADs of a rectangle touch, line by line: (slot, memory line) -> buffer line.
std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> loaded(const DeviceTensor& tensor,
                                                                        const Rectangle& part, std::uint32_t line,
                                                                        std::uint32_t pitch) {
  ProgramBuilder builder{Machine(config::load("sim"))};
  emit_load(builder, tensor, part, line, pitch);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> lines;
  for (const isa::Word word : builder.finish().words) {
    const auto instruction = *isa::decode(word);
    const auto* x = std::get_if<isa::Load>(&instruction);
    if (x == nullptr) continue;
    for (std::uint32_t i1 = 0; i1 < x->n1; ++i1)
      for (std::uint32_t i0 = 0; i0 < x->n0; ++i0)
        lines[{x->slot, x->mem_line + i0 + std::uint64_t{i1} * x->mem_stride1}] =
            x->buf_line + i0 + i1 * x->buf_stride1;
  }
  return lines;
}

TEST(DeviceTensor, LoadsBringEveryLineOfARectangleOnce) {
  for (const std::uint32_t bands : {1U, 2U, 3U, 4U})
    for (const std::uint32_t rows : {1U, 2U, 5U, 17U}) {
      SlotPlanner planner(4, bands);
      planner.place(7, 40, Format::bf16, false);
      const DeviceTensor tensor = planner.place(30, 100, Format::bf16, false);
      const Rectangle part{11, rows, 1, 2};
      const auto lines = loaded(tensor, part, 500, 3);
      EXPECT_EQ(lines.size(), rows * 2U);
      for (std::uint32_t r = 0; r < rows; ++r)
        for (std::uint32_t l = 0; l < 2; ++l) {
          const std::uint64_t row = part.row + r;
          const auto found = lines.find({tensor.slot + row % bands, tensor.line + row / bands * 4 + part.line + l});
          ASSERT_NE(found, lines.end()) << bands << " bands, row " << r;
          EXPECT_EQ(found->second, 500 + r * 3 + l);
        }
    }
}

TEST(DeviceTensor, RowsWithoutGapsAreOneBurst) {
  SlotPlanner planner(0, 1);
  const DeviceTensor tensor = planner.place(16, 16, Format::bf16, false);
  ProgramBuilder builder{Machine(config::load("sim"))};
  emit_load(builder, tensor, {0, 16, 0, 1}, 0, 1);
  const auto words = builder.finish().words;
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(std::get<isa::Load>(*isa::decode(words[0])).n0, 16U);
}

TEST(DeviceTensor, RefusesWhatASlotCannotHold) {
  SlotPlanner planner(0, 1);
  EXPECT_THROW(planner.place(std::uint64_t{1} << 24, 32 * 32, Format::bf16, false), CompileError);
  EXPECT_THROW(planner.place(1, std::uint64_t{1} << 24, Format::bf16, false), CompileError);
}

TEST(Program, ConstantsAreSetWhereTheyStand) {
  Patch patch;
  patch.vop.mul = isa::Vop::Mul::imm;
  patch.constant.factor = -1;
  const isa::Word word = patched(patch, 0.5F);
  EXPECT_EQ(std::get<isa::Vop>(*isa::decode(word)).imm_m, 0xBF000000U);
  EXPECT_EQ(std::get<isa::Vop>(*isa::decode(word)).mul, isa::Vop::Mul::imm);
}

}  // namespace
}  // namespace heddle::compiler
