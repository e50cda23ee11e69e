// What every device promises. A new device passes this suite before anything runs on it.
#include "tests/driver/subjects.h"

namespace heddle::test {
namespace {

using driver::kLineBytes;

class Device : public testing::TestWithParam<Subject> {};

INSTANTIATE_TEST_SUITE_P(All, Device, testing::ValuesIn(subjects()),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(Device, BuffersAreZeroAndWholeLines) {
  Bench bench(GetParam());
  const auto buffer = bench.device->allocate(100, 0);
  EXPECT_EQ(buffer->bytes(), 128u);
  EXPECT_EQ(contents(*bench.device, buffer), Bytes(128));
}

TEST_P(Device, MemoryIsZeroAgainAfterItWasFreed) {
  Bench bench(GetParam());
  for (int i = 0; i < 20; ++i) {
    const auto buffer = bench.device->allocate(5000, 0);
    ASSERT_EQ(contents(*bench.device, buffer), Bytes(buffer->bytes()));
    bench.device->write(*buffer, 0, random_bytes(5000, i));
  }
}

TEST_P(Device, WritesReachTheirBytesAndNoOthers) {
  Bench bench(GetParam());
  std::mt19937 random(3);
  const auto left = bench.device->allocate(4096, 0), middle = bench.device->allocate(4096, 0),
             right = bench.device->allocate(4096, 0);
  Bytes expected(4096);
  for (int i = 0; i < 200; ++i) {
    const std::size_t offset = random() % 4096, bytes = random() % (4096 - offset + 1);
    const Bytes data = random_bytes(bytes, i);
    bench.device->write(*middle, offset, data);
    std::copy(data.begin(), data.end(), expected.begin() + offset);
    Bytes part(bytes);
    bench.device->read(*middle, offset, part);
    ASSERT_EQ(part, data);
  }
  EXPECT_EQ(contents(*bench.device, middle), expected);
  EXPECT_EQ(contents(*bench.device, left), Bytes(4096));
  EXPECT_EQ(contents(*bench.device, right), Bytes(4096));
}

TEST_P(Device, RefusesAccessesOutsideABuffer) {
  Bench bench(GetParam());
  const auto buffer = bench.device->allocate(256, 0);
  Bytes data(64);
  EXPECT_NO_THROW(bench.device->write(*buffer, 192, data));
  EXPECT_NO_THROW(bench.device->write(*buffer, 256, std::span(data).first(0)));
  EXPECT_THROW(bench.device->write(*buffer, 193, data), DeviceError);
  EXPECT_THROW(bench.device->read(*buffer, 257, std::span(data).first(0)), DeviceError);
  EXPECT_THROW(bench.device->read(*buffer, ~std::size_t{0} - 10, data), DeviceError);
}

TEST_P(Device, RefusesBuffersThatCannotBe) {
  Bench bench(GetParam());
  EXPECT_THROW(bench.device->allocate(0, 0), DeviceError);
  EXPECT_THROW(bench.device->allocate(64, bench.device->config().axi_ports), DeviceError);
}

TEST_P(Device, RefusesBuffersOfAnotherDevice) {
  Bench other(GetParam()), bench(GetParam());  // a handle must not outlive its device
  const auto foreign = other.device->allocate(64, 0);
  Bytes data(64);
  EXPECT_THROW(bench.device->write(*foreign, 0, data), DeviceError);
  bench.set_program(program({isa::Halt{}}));
  bench.launch.slots[0] = foreign;
  EXPECT_THROW(bench.device->start(bench.launch), DeviceError);
}

TEST_P(Device, RefusesLaunchesThatCannotRun) {
  Bench bench(GetParam());
  EXPECT_THROW(bench.device->start(bench.launch), DeviceError) << "no program";
  bench.set_program(program({isa::Halt{}}));
  bench.launch.words = bench.launch.program->bytes() / 16 + 1;
  EXPECT_THROW(bench.device->start(bench.launch), DeviceError) << "program longer than its buffer";
  bench.launch.words = 1;
  bench.launch.slots[1] = bench.device->allocate(64, 0);
  EXPECT_THROW(bench.device->start(bench.launch), DeviceError) << "slot 1 reaches port 1";
  EXPECT_THROW(bench.device->wait(std::chrono::seconds(1)), DeviceError) << "nothing was started";
  bench.launch.slots[1] = nullptr;
  bench.device->start(bench.launch);
  EXPECT_THROW(bench.device->start(bench.launch), DeviceError) << "started twice";
  EXPECT_EQ(bench.device->wait(std::chrono::minutes(1)).error, isa::Error::none);
}

TEST_P(Device, HaltAloneEnds) {
  Bench bench(GetParam());
  const auto result = bench.run(program({isa::Halt{}}));
  EXPECT_EQ(result.error, isa::Error::none);
  EXPECT_EQ(result.waiting, "");
}

TEST_P(Device, CopiesThroughTheUnifiedBuffer) {
  Bench bench(GetParam());
  const Bytes data = random_bytes(300 * kLineBytes, 1);
  bench.buffer(0, 300, data);
  const auto to = bench.buffer(1, 300);
  EXPECT_EQ(bench.run(copy_program(17, 300)).error, isa::Error::none);
  EXPECT_EQ(contents(*bench.device, to), data);
}

TEST_P(Device, EverySlotReachesItsBuffer) {
  Bench bench(GetParam());
  std::vector<Bytes> data;
  for (unsigned s = 0; s < 8; ++s) bench.buffer(s, 4, data.emplace_back(random_bytes(4 * kLineBytes, s)));
  for (unsigned s = 8; s < 16; ++s) bench.buffer(s, 4);
  Words words;
  for (unsigned s = 0; s < 8; ++s) {
    words.push_back(isa::encode(posts(load(s, 0, 4 * s, 4), isa::Unit::store)));
    words.push_back(isa::encode(waits(store(15 - s, 0, 4 * s, 4), isa::Unit::load)));
  }
  words.push_back(isa::encode(isa::Halt{}));
  EXPECT_EQ(bench.run(words).error, isa::Error::none);
  for (unsigned s = 0; s < 8; ++s) EXPECT_EQ(contents(*bench.device, bench.launch.slots[15 - s]), data[s]) << s;
}

TEST_P(Device, PatternsGatherAndScatter) {
  Bench bench(GetParam());
  const Bytes data = random_bytes(200 * kLineBytes, 5);
  bench.buffer(0, 200, data);
  const auto to = bench.buffer(1, 200);
  isa::Dims gather;  // 2 x 3 x 4 rows of 2 lines
  gather.n2 = 3;
  gather.mem_stride2 = 20;
  gather.buf_stride2 = 8;
  gather.n3 = 2;
  gather.mem_stride3 = 100;
  gather.buf_stride3 = 24;
  isa::Load from = posts(load(0, 3, 40, 2), isa::Unit::store);
  from.n1 = 4;
  from.mem_stride1 = 5;
  from.buf_stride1 = 2;
  const isa::Store out = waits(store(1, 10, 40, 48), isa::Unit::load);
  EXPECT_EQ(bench.run(program({gather, from, out, isa::Halt{}})).error, isa::Error::none);
  Bytes expected(200 * kLineBytes);
  std::size_t line = 10;
  for (unsigned i3 = 0; i3 < 2; ++i3)
    for (unsigned i2 = 0; i2 < 3; ++i2)
      for (unsigned i1 = 0; i1 < 4; ++i1)
        for (unsigned i0 = 0; i0 < 2; ++i0)
          std::memcpy(&expected[kLineBytes * line++], &data[kLineBytes * (3 + i0 + 5 * i1 + 20 * i2 + 100 * i3)],
                      kLineBytes);
  EXPECT_EQ(contents(*bench.device, to), expected);
}

TEST_P(Device, FillWritesZeros) {
  Bench bench(GetParam());
  const Bytes data = random_bytes(8 * kLineBytes, 6);
  bench.buffer(0, 8, data);
  const auto to = bench.buffer(1, 8);
  isa::Load fill = posts(load(0, 0, 2, 3), isa::Unit::store);
  fill.fill = 1;
  fill.wait = bit(isa::Unit::load);
  ASSERT_EQ(bench
                .run(program({posts(load(0, 0, 0, 8), isa::Unit::load), fill, waits(store(1, 0, 0, 8), isa::Unit::load),
                              isa::Halt{}}))
                .error,
            isa::Error::none);
  Bytes expected = data;
  std::fill(expected.begin() + 2 * kLineBytes, expected.begin() + 5 * kLineBytes, std::byte{0});
  EXPECT_EQ(contents(*bench.device, to), expected);
}

TEST_P(Device, VectorUnitCopiesLines) {
  Bench bench(GetParam());
  Bytes data(10 * kLineBytes);
  for (std::size_t i = 0; i < data.size(); i += 2) {  // bf16 from 1.0 on: no NaN, no subnormal
    data[i] = static_cast<std::byte>(i / 2);
    data[i + 1] = std::byte{0x3F};
  }
  bench.buffer(0, 10, data);
  const auto to = bench.buffer(1, 10);
  isa::Vec copy;
  copy.wait = bit(isa::Unit::load);
  copy.post = bit(isa::Unit::store);
  copy.a_kind = isa::Vec::AKind::bf16;
  copy.a_line = 0;
  copy.a_stride = 1;
  copy.d_line = 100;
  copy.d_stride = 1;
  copy.rows = 10;
  ASSERT_EQ(bench
                .run(program({posts(load(0, 0, 0, 10), isa::Unit::vector), copy,
                              waits(store(1, 0, 100, 10), isa::Unit::vector), isa::Halt{}}))
                .error,
            isa::Error::none);
  EXPECT_EQ(contents(*bench.device, to), data);
}

TEST_P(Device, ProgramsFindWhatTheLastOneLeft) {
  Bench bench(GetParam());
  const Bytes data = random_bytes(4 * kLineBytes, 8);
  bench.buffer(0, 4, data);
  ASSERT_EQ(bench.run(program({load(0, 0, 50, 4), isa::Halt{}})).error, isa::Error::none);
  const auto to = bench.buffer(1, 4);
  ASSERT_EQ(bench.run(program({store(1, 0, 50, 4), isa::Halt{}})).error, isa::Error::none);
  EXPECT_EQ(contents(*bench.device, to), data);
}

struct Fault {
  const char* name;
  Words words;
  isa::Error error;
  std::uint32_t index;
};

std::vector<Fault> faults() {
  const isa::Word nonsense{31, 0}, reserved{isa::encode(isa::Halt{}).lo | 1u << 20, 0};
  return {
      {"opcode", {isa::encode(load(0, 0, 0, 4)), nonsense}, isa::Error::illegal_opcode, 1},
      {"reserved bit", {isa::encode(load(0, 0, 0, 4)), reserved}, isa::Error::illegal_field, 1},
      {"unified buffer", program({load(0, 0, 0, 4), load(0, 0, (1u << 18) - 2, 4), isa::Halt{}}), isa::Error::ub_range,
       1},
      {"memory", program({load(0, 0, 0, 4), load(0, 0, 4, 1), load(0, 5, 0, 4), isa::Halt{}}), isa::Error::memory_range,
       2},
      {"slot not declared", program({load(3, 0, 0, 1), isa::Halt{}}), isa::Error::memory_range, 0},
      {"token", program({waits(load(0, 0, 0, 1), isa::Unit::store), isa::Halt{}}), isa::Error::token_underflow, 0},
      {"matmul alone", program({load(0, 0, 0, 4), isa::Matmul{}, isa::Halt{}}), isa::Error::tile_mismatch, 1},
      {"no halt", program({load(0, 0, 0, 4), load(0, 0, 4, 4)}), isa::Error::no_halt, 2},
      {"empty", {}, isa::Error::no_halt, 0},
  };
}

TEST_P(Device, FaultyProgramsEndWithTheirErrorAndTheNextRunWorks) {
  Bench bench(GetParam());
  const Bytes data = random_bytes(8 * kLineBytes, 9);
  bench.buffer(0, 8, data);
  for (const Fault& fault : faults()) {
    SCOPED_TRACE(fault.name);
    const auto result = bench.run(fault.words);
    EXPECT_EQ(result.error, fault.error);
    EXPECT_EQ(result.error_index, fault.index);
    const auto to = bench.buffer(1, 8);
    EXPECT_EQ(bench.run(copy_program(3, 8)).error, isa::Error::none);
    EXPECT_EQ(contents(*bench.device, to), data);
  }
}

TEST_P(Device, InstructionsBeforeAFaultComplete) {
  Bench bench(GetParam());
  const Bytes data = random_bytes(100 * kLineBytes, 10);
  bench.buffer(0, 100, data);
  const auto to = bench.buffer(1, 100);
  Words words = copy_program(0, 100);
  words.back() = isa::Word{31, 0};
  EXPECT_EQ(bench.run(words).error, isa::Error::illegal_opcode);
  EXPECT_EQ(contents(*bench.device, to), data);
}

TEST_P(Device, CountersSayWhereEveryCycleWent) {
  Bench bench(GetParam());
  if (!bench.device->info().has_cycles) GTEST_SKIP() << "this device counts no cycles";
  bench.buffer(0, 500);
  bench.buffer(1, 500);
  for (int i = 0; i < 2; ++i) {  // counters start anew with each run
    const auto counters = bench.run(copy_program(0, 500)).counters;
    EXPECT_EQ(counters.words, 3u);
    EXPECT_GE(counters.cycles, 1000u);
    EXPECT_LE(counters.cycles, GetParam().stall_percent != 0 ? 6000u : 1400u);
    for (const auto& unit : counters.unit) {
      std::uint64_t sum = 0;
      for (std::uint64_t cause : unit) sum += cause;
      EXPECT_EQ(sum, counters.cycles);
    }
    EXPECT_GE(counters.unit[0][0], 500u) << "LOAD was busy for each line";
    EXPECT_GE(counters.unit[4][2], 500u) << "STORE waited for LOAD's token";
  }
}

TEST_P(Device, TimeLimitEndsTheWaitAndTheNextRunWorks) {
  Bench bench(GetParam());
  if (!bench.device->info().has_cycles) GTEST_SKIP() << "the functional model does not wait";
  bench.buffer(0, 4000);
  Words words;
  for (int i = 0; i < 60; ++i) words.push_back(isa::encode(load(0, 0, 0, 4000)));
  words.push_back(isa::encode(isa::Halt{}));
  bench.set_program(words);
  bench.device->start(bench.launch);
  try {
    bench.device->wait(std::chrono::milliseconds(50));  // long enough for the simulated core to fetch the first LOAD
    FAIL() << "240,000 lines took less than 50 ms";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("load"), std::string::npos) << error.what();
  }
  const Bytes data = random_bytes(20 * kLineBytes, 12);
  bench.buffer(0, 20, data);
  const auto to = bench.buffer(1, 20);
  EXPECT_EQ(bench.run(copy_program(0, 20)).error, isa::Error::none);
  EXPECT_EQ(contents(*bench.device, to), data);
}

TEST_P(Device, WatchdogEndsTheProgramAndTheNextRunWorks) {
  Bench bench(GetParam());
  if (!bench.device->info().has_cycles) GTEST_SKIP() << "the functional model does not wait";
  const Bytes data = random_bytes(20 * kLineBytes, 13);
  bench.buffer(0, 20, data);
  const auto to = bench.buffer(1, 20);
  bench.set_program(copy_program(0, 20));
  bench.launch.watchdog_cycles = 20;  // the memory takes 80 cycles to answer
  const auto result = bench.device->run(bench.launch);
  EXPECT_EQ(result.error, isa::Error::watchdog);
  EXPECT_NE(result.waiting, "");
  bench.launch.watchdog_cycles = 0;
  EXPECT_EQ(bench.device->run(bench.launch).error, isa::Error::none);
  EXPECT_EQ(contents(*bench.device, to), data);
}

TEST_P(Device, ManyRunsOnOneDevice) {
  Bench bench(GetParam());
  bench.set_program(copy_program(0, 5));
  const auto from = bench.buffer(0, 5), to = bench.buffer(1, 5);
  for (int i = 0; i < 50; ++i) {
    const Bytes data = random_bytes(5 * kLineBytes, i);
    bench.device->write(*from, 0, data);
    ASSERT_EQ(bench.device->run(bench.launch).error, isa::Error::none);
    ASSERT_EQ(contents(*bench.device, to), data);
  }
}

}  // namespace
}  // namespace heddle::test
