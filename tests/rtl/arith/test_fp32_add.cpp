// rtl/arith/fp32_add.sv against the host's own float addition.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "Vfp32_add_4.h"
#include "tests/rtl/arith/floats.h"
#include "verilated.h"

namespace heddle::test {
namespace {

constexpr int kLanes = 4;
constexpr int kLatency = 9;  // heddle_pkg::FP32_ADD_LATENCY, which the vector unit and the accumulators build on

class Fp32Add : public ::testing::Test {
 protected:
  Fp32Add() {
    model_.rst_ni = 0;
    model_.valid_i = 0;
    for (int i = 0; i < 3; ++i) tick();
    model_.rst_ni = 1;
  }
  ~Fp32Add() override { model_.final(); }

  void tick() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }

  VerilatedContext context_;
  Vfp32_add_4 model_{&context_};
};

TEST_F(Fp32Add, AgreesWithTheHostOnHardOperandsWithBubbles) {
  struct Expected {
    bool valid;
    std::uint32_t a[kLanes], b[kLanes];
  };
  HardFloats operands(1);
  std::mt19937 random(2);
  std::deque<Expected> in_flight;
  for (int cycle = 0; cycle < 1'000'000; ++cycle) {
    Expected now{.valid = random() % 16 != 0, .a = {}, .b = {}};
    for (int lane = 0; lane < kLanes; ++lane) {
      model_.a_i[lane] = now.a[lane] = operands();
      model_.b_i[lane] = now.b[lane] = random() % 16 == 0 ? now.a[lane] ^ 0x80000000U : operands();
    }
    model_.valid_i = now.valid;
    tick();
    in_flight.push_back(now);
    if (in_flight.size() < kLatency) continue;
    const Expected due = in_flight.front();
    in_flight.pop_front();
    ASSERT_EQ(model_.valid_o, due.valid) << "cycle " << cycle;
    if (!due.valid) continue;
    for (int lane = 0; lane < kLanes; ++lane)
      ASSERT_EQ(model_.sum_o[lane], add(due.a[lane], due.b[lane]))
          << std::hex << due.a[lane] << " + " << due.b[lane] << ", lane " << lane;
  }
}

TEST_F(Fp32Add, ForgetsWhatItHeldAtReset) {
  model_.valid_i = 1;
  for (int i = 0; i < 4; ++i) tick();
  model_.rst_ni = 0;
  model_.valid_i = 0;
  tick();
  model_.rst_ni = 1;
  for (int i = 0; i < 2 * kLatency; ++i) {
    tick();
    ASSERT_EQ(model_.valid_o, 0);
  }
}

}  // namespace
}  // namespace heddle::test
