// Token placement on small programs whose right answer is obvious, and on one that needs more tokens than there are.
#include "host/compiler/token_placer.h"

#include <gtest/gtest.h>

#include "host/compiler/program_builder.h"
#include "rtl/isa/isa.h"

namespace heddle::compiler {
namespace {

using isa::Unit;

constexpr std::uint32_t bit(Unit unit) { return 1U << static_cast<unsigned>(unit); }

isa::Load load(std::uint32_t line, std::uint32_t lines = 1) {
  isa::Load x;
  x.buf_line = line;
  x.n0 = lines;
  return x;
}

isa::Store store(std::uint32_t line, std::uint32_t mem_line = 0) {
  isa::Store x;
  x.slot = 1;
  x.mem_line = mem_line;
  x.buf_line = line;
  return x;
}

isa::Vec copy(std::uint32_t from, std::uint32_t to) {
  isa::Vec x;
  x.a_kind = isa::Vec::AKind::bf16;
  x.a_line = from;
  x.d_line = to;
  return x;
}

struct Tokens {
  std::uint32_t wait;
  std::uint32_t post;
  bool operator==(const Tokens&) const = default;
};

void PrintTo(const Tokens& t, std::ostream* out) { *out << "wait " << t.wait << " post " << t.post; }

std::vector<Tokens> place(const std::vector<isa::Instruction>& instructions) {
  std::vector<Operation> operations;
  for (const auto& i : instructions) operations.push_back({i, std::nullopt});
  place_tokens(operations, Machine(config::load("sim")));
  std::vector<Tokens> tokens;
  for (const auto& o : operations)
    std::visit(
        [&](const auto& x) {
          if constexpr (requires { x.wait; }) tokens.push_back({x.wait, x.post});
        },
        o.instruction);
  return tokens;
}

constexpr Tokens kNone{0, 0};

TEST(TokenPlacer, ReaderWaitsForWriterOfAnotherUnit) {
  EXPECT_EQ(place({load(5), copy(5, 9)}), (std::vector<Tokens>{{0, bit(Unit::vector)}, {bit(Unit::load), 0}}));
}

TEST(TokenPlacer, IndependentInstructionsStayFree) {
  EXPECT_EQ(place({load(5), copy(6, 9), store(7)}), (std::vector<Tokens>{kNone, kNone, kNone}));
}

TEST(TokenPlacer, WriterWaitsForReaders) {
  EXPECT_EQ(
      place({store(5), copy(5, 9), load(5)}),
      (std::vector<Tokens>{{0, bit(Unit::load)}, {0, bit(Unit::load)}, {bit(Unit::store) | bit(Unit::vector), 0}}));
}

TEST(TokenPlacer, OneTokenCoversEarlierInstructionsOfTheUnit) {
  // Units complete in order: waiting for the second LOAD covers the first.
  EXPECT_EQ(place({load(5), load(6), copy(6, 9), copy(5, 10)}),
            (std::vector<Tokens>{kNone, {0, bit(Unit::vector)}, {bit(Unit::load), 0}, kNone}));
}

TEST(TokenPlacer, ChainsOfTokensOrderWhatTheyPass) {
  // The store has waited for VEC, which has waited for LOAD; the second LOAD needs the store only.
  EXPECT_EQ(place({load(5), copy(5, 6), store(6), load(5)}),
            (std::vector<Tokens>{{0, bit(Unit::vector)},
                                 {bit(Unit::load), bit(Unit::load) | bit(Unit::store)},
                                 {bit(Unit::vector), 0},
                                 {bit(Unit::vector), 0}}));
}

TEST(TokenPlacer, VectorUnitNeedsATokenToReadItsOwnResult) {
  EXPECT_EQ(place({copy(1, 2), copy(2, 3)}), (std::vector<Tokens>{{0, bit(Unit::vector)}, {bit(Unit::vector), 0}}));
}

TEST(TokenPlacer, VectorUnitOrdersItsWritesItself) {
  EXPECT_EQ(place({copy(1, 2), copy(3, 2)}), (std::vector<Tokens>{kNone, kNone}));
  EXPECT_EQ(place({copy(1, 2), copy(3, 1)}), (std::vector<Tokens>{kNone, kNone}));
}

TEST(TokenPlacer, LoadsOfOneLineAreOrderedByAToken) {
  EXPECT_EQ(place({load(5), load(5)}), (std::vector<Tokens>{{0, bit(Unit::load)}, {bit(Unit::load), 0}}));
}

TEST(TokenPlacer, StoresToOneLineOfMemoryAreOrderedByAToken) {
  EXPECT_EQ(place({store(5, 3), store(6, 3)}), (std::vector<Tokens>{{0, bit(Unit::store)}, {bit(Unit::store), 0}}));
  EXPECT_EQ(place({store(5, 3), store(6, 4)}), (std::vector<Tokens>{kNone, kNone}));
}

TEST(TokenPlacer, LoadWaitsForStoreToTheSameMemory) {
  isa::Load reload = load(9);
  reload.slot = 1;
  reload.mem_line = 3;
  EXPECT_EQ(place({store(5, 3), reload}), (std::vector<Tokens>{{0, bit(Unit::load)}, {bit(Unit::store), 0}}));
}

TEST(TokenPlacer, MatmulsOrderTheirAccumulatorsThemselves) {
  isa::Wload w;
  isa::Matmul m;
  m.accumulate = 1;
  EXPECT_EQ(place({w, m, w, m}), (std::vector<Tokens>{kNone, kNone, kNone, kNone}));
}

TEST(TokenPlacer, NeverMoreThan63TokensOfAPairUnderWay) {
  // 200 lines are loaded, then 200 VECs read one each, in the same order.
  std::vector<isa::Instruction> program;
  for (std::uint32_t i = 0; i < 200; ++i) program.push_back(load(i));
  for (std::uint32_t i = 0; i < 200; ++i) program.push_back(copy(i, 1000 + i));
  int under_way = 0;
  int waits = 0;
  for (const Tokens& t : place(program)) {
    under_way -= (t.wait & bit(Unit::load)) != 0 ? 1 : 0;
    waits += (t.wait & bit(Unit::load)) != 0 ? 1 : 0;
    EXPECT_GE(under_way, 0);
    under_way += (t.post & bit(Unit::vector)) != 0 ? 1 : 0;
    EXPECT_LE(under_way, 63);
  }
  EXPECT_EQ(under_way, 0);
  EXPECT_GT(waits, 16);  // merged no more than necessary
}

}  // namespace
}  // namespace heddle::compiler
