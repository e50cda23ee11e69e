// The functional model's core: programs against the plain reference, what stays between programs, special values.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/functional/program.h"
#include "tests/reference/arithmetic.h"
#include "tests/reference/random_data.h"

namespace heddle {
namespace {

using isa::Unit;
using test::bit;
using test::Program;
using Vec = isa::Vec;

void put_bf16(sim::Core& core, std::uint32_t line, std::span<const std::uint16_t> values) {
  std::memcpy(core.unified_buffer().data(line), values.data(), values.size_bytes());
}
std::uint32_t accumulator(sim::Core& core, std::uint32_t row, std::uint32_t lane) {
  return std::bit_cast<std::uint32_t>(core.accumulators().row(row).lane[lane]);
}

// C = A B on the core: A streamed from line 0 (or transposed), B stationary from line 512 (or transposed).
struct GemmCase {
  std::uint32_t m, n, k, cols;
  bool stream_transposed, tile_transposed, accumulate;
  plain::Data a, b;
};

void expect_gemm_matches(const GemmCase& c, std::uint64_t seed) {
  plain::Random random(seed);
  std::vector<std::uint16_t> a(c.m * c.k);
  std::vector<std::uint16_t> b(c.k * c.n);
  plain::fill_bf16(random, c.a, a);
  plain::fill_bf16(random, c.b, b);
  sim::Core core(test::config_of(c.cols));
  const std::uint32_t blocks = (c.k + 31) / 32;
  const std::uint32_t a_wide = c.stream_transposed ? (c.m + 31) / 32 : blocks;
  const std::uint32_t b_wide = c.tile_transposed ? blocks : (c.n + 31) / 32;
  // Padding holds anything: here, NaN.
  for (std::uint32_t line = 0; line < 1024; ++line)
    for (std::uint16_t& lane : core.unified_buffer().line(line).lane) lane = 0x7FC1;
  for (std::uint32_t i = 0; i < c.m; ++i)
    for (std::uint32_t k = 0; k < c.k; ++k) {
      const std::uint32_t row = c.stream_transposed ? k : i;
      const std::uint32_t column = c.stream_transposed ? i : k;
      core.unified_buffer().line(row * a_wide + column / 32).lane[column % 32] = a[i * c.k + k];
    }
  for (std::uint32_t k = 0; k < c.k; ++k)
    for (std::uint32_t j = 0; j < c.n; ++j) {
      const std::uint32_t row = c.tile_transposed ? j : k;
      const std::uint32_t column = c.tile_transposed ? k : j;
      core.unified_buffer().line(512 + row * b_wide + column / 32).lane[column % 32] = b[k * c.n + j];
    }
  std::vector<std::uint32_t> start(c.m * c.n, 0);
  plain::fill_fp32(random, plain::Data::ordinary, start);
  for (std::uint32_t i = 0; i < c.m; ++i)
    for (std::uint32_t j = 0; j < c.n; ++j)
      core.accumulators().row(i + j / 32 * 64).lane[j % 32] = std::bit_cast<float>(start[i * c.n + j]);

  const std::uint32_t tail = (c.k - 1) % 32 + 1;
  const isa::Wload wload{.ub_line = 512,
                         .row_stride = b_wide,
                         .passes = blocks,
                         .pass_stride = c.tile_transposed ? 1 : 32 * b_wide,
                         .transpose = c.tile_transposed,
                         .k_tail = tail,
                         .cols = c.n};
  const isa::Matmul matmul{.ub_line = 0,
                           .row_stride = a_wide,
                           .rows = c.m,
                           .passes = blocks,
                           .pass_stride = c.stream_transposed ? 32 * a_wide : 1,
                           .transpose = c.stream_transposed,
                           .k_tail = tail,
                           .accumulate = c.accumulate};
  test::Memory memory;
  ASSERT_EQ(core.run((Program() << wload << matmul).halted(), memory.slots()).error, isa::Error::none);
  const auto expected = c.accumulate ? plain::gemm(a, b, c.m, c.n, c.k, start) : plain::gemm(a, b, c.m, c.n, c.k);
  for (std::uint32_t i = 0; i < c.m; ++i)
    for (std::uint32_t j = 0; j < c.n; ++j)
      ASSERT_EQ(accumulator(core, i + j / 32 * 64, j % 32), expected[i * c.n + j])
          << "row " << i << " column " << j << " of " << c.m << " x " << c.n << " x " << c.k << ", seed " << seed;
}

TEST(FunctionalGemm, MatchesThePlainReferenceOnOddShapesAndAllData) {
  std::uint64_t seed = 100;
  for (const auto& [m, n, k] : {std::array{1u, 1u, 1u}, std::array{5u, 7u, 33u}, std::array{33u, 8u, 31u},
                                std::array{40u, 32u, 100u}, std::array{64u, 17u, 64u}})
    for (int kind = 0; kind < plain::kDataKinds; ++kind)
      for (int form = 0; form < 8; ++form) {
        const auto data = static_cast<plain::Data>(kind);
        expect_gemm_matches({m, n, k, 32, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0, data,
                             static_cast<plain::Data>((kind + form) % plain::kDataKinds)},
                            ++seed);
      }
}

TEST(FunctionalGemm, MatchesWithEveryNumberOfColumns) {
  for (std::uint32_t cols : {8u, 16u, 32u, 64u})
    for (int form = 0; form < 8; ++form)
      expect_gemm_matches({37, cols - 1, 70, cols, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0,
                           plain::Data::ordinary, plain::Data::wide},
                          cols * 8 + form);
}

TEST(FunctionalCore, KeepsBufferAndAccumulatorsBetweenPrograms) {
  sim::Core core(test::config_of(32));
  test::Memory memory;
  memory.content[0][5] = std::byte{42};
  core.run((Program() << isa::Load{.buf_line = 7}).halted(), memory.slots());
  core.run((Program() << isa::Store{.slot = 1, .mem_line = 9, .buf_line = 7}).halted(), memory.slots());
  EXPECT_EQ(memory.content[1][9 * 64 + 5], std::byte{42});
}

TEST(FunctionalCore, CompletesWhatStandsBeforeAFault) {
  sim::Core core(test::config_of(32));
  test::Memory memory;
  memory.content[0][5] = std::byte{42};
  const Program program = Program() << isa::Load{.post = bit(Unit::store)}
                                    << isa::Store{.wait = bit(Unit::load), .slot = 1, .mem_line = 3}
                                    << isa::Load{.slot = 5} << isa::Store{.slot = 1, .mem_line = 4};
  EXPECT_EQ(core.run(program.halted(), memory.slots()), (sim::Outcome{isa::Error::memory_range, 2}));
  EXPECT_EQ(memory.content[1][3 * 64 + 5], std::byte{42});
  EXPECT_EQ(memory.content[1][4 * 64 + 5], std::byte{0});
}

TEST(FunctionalCore, RefusesRacesBeforeAnythingRuns) {
  sim::Core core(test::config_of(32));
  test::Memory memory;
  memory.content[0][5] = std::byte{42};
  const Program program = Program() << isa::Load{} << isa::Store{.slot = 1};
  for (int repeat = 0; repeat < 2; ++repeat) EXPECT_THROW(core.run(program.halted(), memory.slots()), sim::RaceError);
  EXPECT_EQ(core.unified_buffer().line(0).lane[2], 0);
  sim::Core careless(test::config_of(32), {.check_races = false});
  EXPECT_EQ(careless.run(program.halted(), memory.slots()).error, isa::Error::none);
}

TEST(FunctionalCore, KnowsAProgramAgainOnlyWithTheSameSlots) {
  sim::Core core(test::config_of(32));
  test::Memory memory;
  const auto words = (Program() << isa::Load{.slot = 1, .mem_line = 40}).halted();
  EXPECT_EQ(core.run(words, memory.slots()).error, isa::Error::none);
  memory.content[1].resize(40 * 64);
  EXPECT_EQ(core.run(words, memory.slots()).error, isa::Error::memory_range);
  // Slots that share memory race where separate ones did not.
  const auto copy = (Program() << isa::Load{} << isa::Store{.slot = 1, .buf_line = 9}).halted();
  EXPECT_EQ(core.run(copy, memory.slots()).error, isa::Error::none);
  sim::Slots shared = memory.slots();
  shared[1] = shared[0];
  EXPECT_THROW(core.run(copy, shared), sim::RaceError);
}

TEST(FunctionalVec, CopiesCanonicalNumbers) {
  sim::Core core(test::config_of(32));
  test::Memory memory;
  std::array<std::uint16_t, 32> line{};
  line[0] = 0x0001;  // subnormal
  line[1] = 0x8001;
  line[2] = 0xFFC5;  // NaN
  line[3] = 0x8000;
  line[4] = 0xFF80;
  line[5] = 0x3F81;
  put_bf16(core, 0, line);
  core.run((Program() << Vec{.a_kind = Vec::AKind::bf16, .d_kind = Vec::DKind::fp32, .d_line = 2}).halted(),
           memory.slots());
  std::array<std::uint32_t, 32> result;
  std::memcpy(result.data(), core.unified_buffer().data(2), sizeof result);
  const std::array<std::uint32_t, 6> expected = {0, 0x80000000, 0x7FC00000, 0x80000000, 0xFF800000, 0x3F810000};
  for (std::size_t l = 0; l < expected.size(); ++l) EXPECT_EQ(result[l], expected[l]) << l;
}

TEST(FunctionalVec, RowSumAddsSixteenPartialSums) {
  // 1e8 in row 0 swallows a 1 added to it; a 1 in row 16 goes to the same partial sum, in row 1 to another one.
  sim::Core core(test::config_of(32));
  test::Memory memory;
  const auto sum = [&](std::uint32_t row, std::uint32_t value_row) {
    for (std::uint32_t i = 0; i < 40; ++i) std::fill_n(core.accumulators().row(i).lane, 32, 0.0F);
    core.accumulators().row(row).lane[3] = 1e8F;
    core.accumulators().row(value_row).lane[3] = 3.0F;
    core.accumulators().row(row + 32).lane[3] = -1e8F;
    core.run((Program() << isa::Vop{.reduce = isa::Vop::Reduce::row_sum}
                        << Vec{.a_kind = Vec::AKind::acc, .a_stride = 1, .d_kind = Vec::DKind::fp32, .rows = 40})
                 .halted(),
             memory.slots());
    float result[32];
    std::memcpy(result, core.unified_buffer().data(0), sizeof result);
    return result[3];
  };
  EXPECT_EQ(sum(0, 1), 3.0F);
  EXPECT_EQ(sum(0, 16), 0.0F);  // 1e8 + 3 is 1e8
}

TEST(FunctionalVec, LaneReductionsLookAtTheFirstLanesOnly) {
  sim::Core core(test::config_of(32));
  test::Memory memory;
  for (std::uint32_t l = 0; l < 32; ++l) core.accumulators().row(0).lane[l] = l < 10 ? -1.0F - l : 100.0F;
  const auto reduce = [&](isa::Vop::Reduce kind) {
    core.run((Program() << isa::Vop{.reduce = kind, .lanes = 10}
                        << Vec{.a_kind = Vec::AKind::acc, .d_kind = Vec::DKind::fp32})
                 .halted(),
             memory.slots());
    float result[32];
    std::memcpy(result, core.unified_buffer().data(0), sizeof result);
    EXPECT_EQ(result[31], result[0]);
    return result[0];
  };
  EXPECT_EQ(reduce(isa::Vop::Reduce::lane_max), -1.0F);
  EXPECT_EQ(reduce(isa::Vop::Reduce::lane_sum), -55.0F);
}

}  // namespace
}  // namespace heddle
