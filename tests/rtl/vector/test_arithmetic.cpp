// fp32_mul against the host's multiplication with FTZ and DAZ, special_function against sim/numerics/functions.h; both
// forms of their multipliers.
#include <gtest/gtest.h>
#include <immintrin.h>

#include <deque>

#include "Vfp32_mul_4.h"
#include "Vfp32_mul_structural.h"
#include "Vspecial_function.h"
#include "Vspecial_function_structural.h"
#include "sim/numerics/functions.h"
#include "tests/rtl/arith/floats.h"
#include "verilated.h"

namespace heddle::test {
namespace {

template <typename Model>
class Clocked {
 public:
  Clocked() {
    model.rst_ni = 0;
    model.valid_i = 0;
    for (int i = 0; i < 3; ++i) tick();
    model.rst_ni = 1;
  }
  ~Clocked() { model.final(); }
  void tick() {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
  }
  VerilatedContext context;
  Model model{&context};
};

// x86's own idea of flushing: operands by DAZ, results after rounding by FTZ.
std::uint32_t host_product(std::uint32_t a, std::uint32_t b) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  volatile float x = as_float(a), y = as_float(b);
  volatile float product = x * y;
  _mm_setcsr(before);
  const float result = product;
  return std::isnan(result) ? 0x7FC00000U : as_bits(result);
}

// The factor that brings a product next to the smallest normal number, where rounding and flushing meet.
std::uint32_t partner(std::uint32_t a, std::uint32_t random) {
  const std::uint32_t e = (a >> 23) & 0xFF;
  const std::uint32_t wanted = 128U - e + random % 4U;
  return (random & 0x80000000U) | ((wanted & 0xFF) << 23) | ((random % 3U == 0 ? 0U : random) & 0x7FFFFFU);
}

template <typename Model, int lanes>
void multiply_everything(int cycles, std::uint64_t seed) {
  constexpr std::size_t kLatency = 5;  // heddle_pkg::FP32_MUL_LATENCY
  struct Due {
    bool valid;
    std::uint32_t a[lanes], b[lanes];
  };
  Clocked<Model> unit;
  HardFloats operands(seed);
  std::mt19937 random(static_cast<std::uint32_t>(seed) + 1);
  std::deque<Due> in_flight;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    Due now{.valid = random() % 16 != 0, .a = {}, .b = {}};
    for (int lane = 0; lane < lanes; ++lane) {
      now.a[lane] = operands();
      now.b[lane] = random() % 4 == 0 ? partner(now.a[lane], static_cast<std::uint32_t>(random())) : operands();
      if (random() % 8 == 0) {  // 13 bits times 12 bits: a product of 25, which is a tie if it is odd
        now.a[lane] = (now.a[lane] ^ static_cast<std::uint32_t>(random() & 0x7FFFFF)) & ~0x7FFU;
        now.b[lane] = (now.b[lane] ^ static_cast<std::uint32_t>(random() & 0x7FFFFF)) & ~0xFFFU;
      }
      unit.model.a_i[lane] = now.a[lane];
      unit.model.b_i[lane] = now.b[lane];
    }
    unit.model.valid_i = now.valid;
    unit.tick();
    in_flight.push_back(now);
    if (in_flight.size() < kLatency) continue;
    const Due due = in_flight.front();
    in_flight.pop_front();
    ASSERT_EQ(unit.model.valid_o, due.valid) << "cycle " << cycle;
    for (int lane = 0; due.valid && lane < lanes; ++lane)
      ASSERT_EQ(unit.model.product_o[lane], host_product(due.a[lane], due.b[lane]))
          << std::hex << due.a[lane] << " * " << due.b[lane] << ", lane " << lane;
  }
}

TEST(Fp32Mul, AgreesWithTheHostOnThreeMillionHardPairs) { multiply_everything<Vfp32_mul_4, 4>(800'000, 1); }
TEST(Fp32Mul, StructuralFormAgreesToo) { multiply_everything<Vfp32_mul_structural, 4>(100'000, 2); }

std::uint32_t reference(unsigned page, std::uint32_t x) {
  return page == 0 ? numerics::exp_fp32(x) : page == 1 ? numerics::log_fp32(x) : numerics::reciprocal_fp32(x);
}

// Arguments where something happens: exp's range, log's cancellation, everything else.
std::uint32_t argument(HardFloats& operands, std::mt19937& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  switch (random() % 4) {
    case 0:
      return (bits & 0x807FFFFFU) | ((100 + bits / 7 % 36) << 23);
    case 1:
      return (bits & 0x7FFFFFU) | ((126 + bits / 3 % 2) << 23);
    default:
      return operands();
  }
}

template <typename Model>
void evaluate_everything(int cycles, std::uint64_t seed) {
  constexpr std::size_t kLatency = 25;  // heddle_pkg::SPECIAL_FUNCTION_LATENCY
  struct Due {
    bool valid;
    unsigned page;
    std::uint32_t x;
  };
  Clocked<Model> unit;
  HardFloats operands(seed);
  std::mt19937 random(static_cast<std::uint32_t>(seed) + 1);
  std::deque<Due> in_flight;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    const Due now{random() % 8 != 0, static_cast<unsigned>(random() % 3), argument(operands, random)};
    unit.model.valid_i = now.valid;
    unit.model.page_i = now.page;
    unit.model.x_i = now.x;
    unit.tick();
    in_flight.push_back(now);
    if (in_flight.size() < kLatency) continue;
    const Due due = in_flight.front();
    in_flight.pop_front();
    ASSERT_EQ(unit.model.valid_o, due.valid) << "cycle " << cycle;
    if (!due.valid) continue;
    ASSERT_EQ(unit.model.y_o, reference(due.page, due.x)) << "page " << due.page << " of " << std::hex << due.x;
  }
}

TEST(SpecialFunction, HasTheBitsOfTheReference) { evaluate_everything<Vspecial_function>(3'000'000, 3); }
TEST(SpecialFunction, StructuralFormHasThemToo) { evaluate_everything<Vspecial_function_structural>(200'000, 4); }

// Every segment of every table, at its ends and its middle.
TEST(SpecialFunction, HasTheBitsOfTheReferenceInEverySegment) {
  Clocked<Vspecial_function> unit;
  unit.model.valid_i = 1;
  for (unsigned page = 0; page < 3; ++page) {
    for (std::uint32_t segment = 0; segment < 128; ++segment) {
      for (const std::uint32_t u : {0U, 1U, 0x7FFFU, 0x8000U, 0xFFFFU}) {
        const std::uint32_t x = 0x3F800000U | (segment << 16) | u;
        unit.model.page_i = page;
        unit.model.x_i = x;
        for (int i = 0; i < 25; ++i) unit.tick();
        ASSERT_EQ(unit.model.y_o, reference(page, x)) << "page " << page << " of " << std::hex << x;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::test
