// rtl/arith: block_converter, block_align and int_to_fp32 against the formulas of docs/design.md, section 2.
#include <gtest/gtest.h>

#include <deque>

#include "Vblock_align_4.h"
#include "Vblock_converter.h"
#include "Vint_to_fp32_4.h"
#include "tests/rtl/arith/blocks.h"
#include "verilated.h"

namespace heddle::test {
namespace {

constexpr std::size_t kConverterLatency = 6, kAlignLatency = 3, kIntToFp32Latency = 6;  // as in heddle_pkg

template <typename Model>
class Pipeline {
 public:
  Pipeline() {
    model.rst_ni = 0;
    model.valid_i = 0;
    for (int i = 0; i < 3; ++i) tick();
    model.rst_ni = 1;
  }
  ~Pipeline() { model.final(); }

  void tick() {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
  }

 private:
  VerilatedContext context_;

 public:
  Model model{&context_};
};

template <typename Words>
int half_word(const Words& words, int i) {
  return static_cast<std::int16_t>(words[i / 2] >> (16 * (i % 2)));
}

TEST(BlockConverter, AgreesWithTheFormulaOnHardBlocks) {
  Pipeline<Vblock_converter> dut;
  HardBlocks blocks(3);
  std::mt19937 random(4);
  struct Expected {
    bool valid;
    std::array<std::uint16_t, kBlock> block;
  };
  std::deque<Expected> in_flight;
  for (int cycle = 0; cycle < 200'000; ++cycle) {
    const Expected now{random() % 8 != 0, blocks()};
    for (int i = 0; i < 16; ++i) dut.model.data_i[i] = now.block[2 * i] | (now.block[2 * i + 1] << 16);
    dut.model.valid_i = now.valid;
    dut.tick();
    in_flight.push_back(now);
    if (in_flight.size() < kConverterLatency) continue;
    const Expected due = in_flight.front();
    in_flight.pop_front();
    ASSERT_EQ(dut.model.valid_o, due.valid);
    if (!due.valid) continue;
    int largest = 0;
    for (const auto x : due.block) largest = std::max(largest, exponent_of(x));
    ASSERT_EQ(dut.model.exponent_o, largest);
    if (largest == 255) continue;
    for (int i = 0; i < kBlock; ++i)
      ASSERT_EQ(half_word(dut.model.mantissa_o, i), mantissa_of(due.block[i], largest))
          << due.block[i] << " E " << largest;
  }
}

TEST(BlockAlign, AgreesWithTheFormulaForEveryElementAndDistance) {
  Pipeline<Vblock_align_4> dut;
  struct Expected {
    std::uint16_t data[4];
    int exponent[4];
  };
  std::deque<Expected> in_flight;
  dut.model.valid_i = 1;
  int lane = 0;
  Expected now{};
  // Every distance for exponents at both ends of the range, every significand, both signs.
  for (int e : {0, 1, 2, 20, 128, 253, 254})
    for (int distance = 0; e + distance < 255; ++distance)
      for (int bits = 0; bits < 256; ++bits) {
        now.data[lane] = static_cast<std::uint16_t>((e << 7) | (bits & 0x7F) | ((bits & 0x80) << 8));
        now.exponent[lane] = e + distance;
        if (++lane < 4) continue;
        lane = 0;
        dut.model.data_i = 0;
        for (int i = 0; i < 4; ++i) dut.model.data_i |= std::uint64_t{now.data[i]} << (16 * i);
        dut.model.exponent_i = 0;
        for (int i = 0; i < 4; ++i) dut.model.exponent_i |= static_cast<std::uint32_t>(now.exponent[i]) << (8 * i);
        dut.tick();
        in_flight.push_back(now);
        if (in_flight.size() < kAlignLatency) continue;
        const Expected due = in_flight.front();
        in_flight.pop_front();
        ASSERT_EQ(dut.model.valid_o, 1);
        for (int i = 0; i < 4; ++i)
          ASSERT_EQ(static_cast<std::int16_t>(dut.model.mantissa_o >> (16 * i)),
                    mantissa_of(due.data[i], due.exponent[i]))
              << std::hex << due.data[i] << " E " << due.exponent[i];
      }
}

// A sum of any size, near powers of two and ties, up to 32 * 32640^2.
std::int64_t hard_sum(std::mt19937_64& random) {
  constexpr std::int64_t kLargest = 32LL * 32640 * 32640;
  const auto bits = static_cast<int>(random() % 36);
  auto sum = static_cast<std::int64_t>(random() & ((1ULL << bits) - 1));
  if (random() % 4 == 0 && bits > 26) sum &= ~((1LL << (bits - 25)) - 1);                // ties
  if (random() % 4 == 0) sum = (1LL << bits) - static_cast<std::int64_t>(random() % 4);  // carries
  sum = std::clamp<std::int64_t>(sum, 0, kLargest);
  return random() % 2 == 0 ? sum : -sum;
}

TEST(IntToFp32, AgreesWithTheFormulaOnHardSumsAndExponents) {
  Pipeline<Vint_to_fp32_4> dut;
  std::mt19937_64 random(5);
  struct Expected {
    bool valid;
    std::int64_t sum[4];
    int ea, eb[4];
  };
  std::deque<Expected> in_flight;
  for (int cycle = 0; cycle < 1'000'000; ++cycle) {
    Expected now{};
    now.valid = random() % 8 != 0;
    now.ea = static_cast<int>(random() % 256);
    dut.model.ea_i = static_cast<std::uint8_t>(now.ea);
    dut.model.eb_i = 0;
    for (int i = 0; i < 4; ++i) {
      now.sum[i] = hard_sum(random);
      // Mostly where results are normal or at the edges of the range.
      const int wanted = random() % 2 == 0 ? static_cast<int>(random() % 40) + 100 : static_cast<int>(random() % 256);
      now.eb[i] = random() % 4 == 0 ? std::clamp(wanted + 150 - now.ea, 0, 255) : static_cast<int>(random() % 256);
      dut.model.eb_i |= static_cast<std::uint32_t>(now.eb[i]) << (8 * i);
      dut.model.sum_i[2 * i] = static_cast<std::uint32_t>(now.sum[i]);
      dut.model.sum_i[2 * i + 1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(now.sum[i]) >> 32);
    }
    dut.model.valid_i = now.valid;
    dut.tick();
    in_flight.push_back(now);
    if (in_flight.size() < kIntToFp32Latency) continue;
    const Expected due = in_flight.front();
    in_flight.pop_front();
    ASSERT_EQ(dut.model.valid_o, due.valid);
    if (!due.valid) continue;
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(dut.model.result_o[i], block_result(due.sum[i], due.ea, due.eb[i]))
          << due.sum[i] << " ea " << due.ea << " eb " << due.eb[i];
  }
}

}  // namespace
}  // namespace heddle::test
