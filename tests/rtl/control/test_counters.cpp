// Counters with a low half of 4 bits, so that its carry is seen.
#include <gtest/gtest.h>

#include <array>

#include "Vcounters_4.h"
#include "tests/rtl/control/bench.h"

namespace heddle::test {
namespace {

TEST(Counters, CountEachOnItsOwnAcrossTheCarry) {
  const std::uint64_t seed = seed_or(1);
  SCOPED_TRACE(replay(seed));
  isa::test::Random random(seed);
  Vcounters_4 top;
  std::array<std::uint64_t, 27> expected{};
  const auto clock = [&] {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  };
  top.rst_ni = 0;
  clock();
  top.rst_ni = 1;
  for (int round = 0; round < 30; ++round) {
    if (round % 10 == 9) {
      top.clear_i = 1;
      clock();
      top.clear_i = 0;
      expected = {};
    }
    for (int i = 0; i < 200; ++i) {
      top.increment_i = isa::test::below(random, 3) ? isa::test::below(random, 1 << 27) : 0;
      for (unsigned c = 0; c < 27; ++c) expected[c] += top.increment_i >> c & 1;
      clock();
    }
    top.increment_i = 0;
    clock();
    for (unsigned c = 0; c < 32; ++c) {
      top.read_i = 1;
      top.read_index_i = c;
      clock();
      top.read_i = 0;
      ASSERT_EQ(top.read_data_o, c < 27 ? expected[c] : 0) << "counter " << c;
    }
  }
}

}  // namespace
}  // namespace heddle::test
