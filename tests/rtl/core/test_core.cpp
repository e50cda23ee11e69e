// The whole core: hand-made programs through all five units against the plain reference, errors, and the next program.
#include <cstring>
#include <numeric>

#include "driver/verilated/verilated_device.h"
#include "tests/driver/subjects.h"
#include "tests/reference/machine.h"

namespace heddle::test {
namespace {

using isa::Unit;

constexpr unsigned kRows = 24, kDepth = 70, kPasses = 3, kCols = 8;
constexpr std::uint32_t kA = 0, kW = 128, kResult = 256, kBias = 250;

// C = relu(A W + bias): A of 24 x 70 and W of 70 x 8 bf16; fp32 accumulators and the bf16 result go to memory.
Words dense_layer() {
  isa::Load a = load(0, 0, kA, kRows * kPasses), w = load(1, 0, kW, 32 * kPasses), bias = load(2, 0, kBias, 1);
  isa::Wload wload;
  wload.wait = bit(Unit::load);
  wload.ub_line = kW;
  wload.row_stride = 1;
  wload.passes = kPasses;
  wload.pass_stride = 32;
  wload.k_tail = kDepth - 64;
  wload.cols = kCols;
  isa::Matmul matmul;
  matmul.wait = bit(Unit::load);
  matmul.post = bit(Unit::vector) | bit(Unit::store);
  matmul.ub_line = kA;
  matmul.row_stride = kPasses;
  matmul.rows = kRows;
  matmul.passes = kPasses;
  matmul.pass_stride = 1;
  matmul.k_tail = kDepth - 64;
  matmul.acc_row = 5;
  matmul.lane_group = 1;
  isa::Vop vop;
  vop.add = isa::Vop::Add::b;
  vop.func = isa::Vop::Func::relu;
  isa::Vec vec;
  vec.wait = bit(Unit::mxu) | bit(Unit::load);
  vec.post = bit(Unit::store);
  vec.a_kind = isa::Vec::AKind::acc;
  vec.a_line = 5;
  vec.a_stride = 1;
  vec.b_kind = isa::Vec::BKind::bf16;
  vec.b_line = kBias;
  vec.d_line = kResult;
  vec.d_stride = 1;
  vec.rows = kRows;
  isa::Store sums = waits(store(3, 0, 5, 2), Unit::mxu);
  sums.source = isa::Store::Source::acc;
  sums.n1 = kRows;
  sums.mem_stride1 = 2;
  sums.buf_stride1 = 1;
  return program({posts(a, Unit::mxu), posts(w, Unit::wload), posts(bias, Unit::vector), wload, matmul, vop, vec, sums,
                  waits(store(4, 0, kResult, kRows), Unit::vector), isa::Halt{}});
}

Bytes random_bf16(std::size_t lines, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(lines * 64);
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const std::uint16_t value = static_cast<std::uint16_t>((random() & 0x8000) | (0x3E00 + (random() & 0x3FF)));
    std::memcpy(&bytes[i], &value, 2);
  }
  return bytes;
}

class Core : public testing::TestWithParam<unsigned> {
 public:
  Bench bench{{"verilated", "tiny", GetParam()}};
  plain::Machine machine{config::load("tiny")};

  // Slots of the dense layer, in the device and in the reference.
  void fill(std::uint64_t seed) {
    const std::size_t lines[] = {kRows * kPasses, 32 * kPasses, 1, 2 * kRows, kRows};
    for (unsigned s = 0; s < 5; ++s) {
      const Bytes data = s < 3 ? random_bf16(lines[s], seed + s) : Bytes(lines[s] * 64);
      bench.buffer(s, lines[s], data);
      const auto* first = reinterpret_cast<const std::uint8_t*>(data.data());
      memory[s].assign(first, first + data.size());
    }
  }

  void expect_as_reference(const Words& words) {
    machine.run(words, words.size(), memory);
    for (unsigned s = 0; s < 5; ++s) {
      const Bytes got = contents(*bench.device, bench.launch.slots[s]);
      ASSERT_EQ(std::memcmp(got.data(), memory[s].data(), memory[s].size()), 0) << "slot " << s;
    }
  }

  plain::Memory memory;
};

INSTANTIATE_TEST_SUITE_P(Stalls, Core, testing::Values(0u, 40u),
                         [](const auto& info) { return std::to_string(info.param) + "percent"; });

TEST_P(Core, RunsADenseLayerThroughAllUnits) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    fill(10 * seed);
    const Words words = dense_layer();
    const auto result = bench.run(words);
    ASSERT_EQ(result.error, isa::Error::none) << "word " << result.error_index << " " << result.waiting;
    ASSERT_NO_FATAL_FAILURE(expect_as_reference(words));
    EXPECT_EQ(result.counters.words, words.size());
    for (unsigned u = 0; u < isa::kUnitCount; ++u) {
      const auto& causes = result.counters.unit[u];
      EXPECT_EQ(std::accumulate(causes.begin(), causes.end(), std::uint64_t{0}), result.counters.cycles)
          << "unit " << u;
      EXPECT_GT(causes[0], 0u) << "unit " << u;
    }
  }
}

// A WLOAD of more tiles than the FIFO holds, whose MATMUL is refused: thrown away, and the next program finds no tile.
TEST_P(Core, ThrowsAwayAWloadWithoutItsMatmul) {
  fill(3);
  isa::Wload wload;
  wload.passes = 9;
  const auto result = bench.run(program({wload, isa::Halt{}}));
  EXPECT_EQ(result.error, isa::Error::tile_mismatch);
  EXPECT_EQ(result.error_index, 1u);
  const Words words = dense_layer();
  EXPECT_EQ(bench.run(words).error, isa::Error::none);
  ASSERT_NO_FATAL_FAILURE(expect_as_reference(words));
}

// The watchdog is shorter than the memory's latency: answers of the ended program arrive during the next ones.
TEST_P(Core, RecoversFromTheWatchdogWhileMemoryStillAnswers) {
  fill(4);
  const Words words = dense_layer();
  bench.launch.watchdog_cycles = 60;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench.run(words).error, isa::Error::watchdog);
  bench.launch.watchdog_cycles = 0;
  EXPECT_EQ(bench.run(words).error, isa::Error::none);
  ASSERT_NO_FATAL_FAILURE(expect_as_reference(words));
}

}  // namespace
}  // namespace heddle::test
