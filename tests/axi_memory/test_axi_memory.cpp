// The simulated memory itself: timing to the cycle, bandwidth, order, errors, and what it refuses.
#include <gtest/gtest.h>

#include <cstring>

#include "sim/verilated/axi_memory.h"

namespace heddle::sim {
namespace {

constexpr std::uint64_t kBank = 1 << 20;

struct Bench {
  explicit Bench(const AxiTiming& timing = {}, unsigned ports = 2, unsigned banks = 2)
      : storage(banks, kBank), memory(storage, ports, timing), masters(ports + 1) {}

  void cycle() {
    memory.drive();
    for (unsigned p = 0; p < masters.size(); ++p) memory.clock(p, masters[p]);
    ++now;
  }
  // Offers an address and returns the cycle in which it was taken.
  std::uint64_t read(unsigned port, std::uint64_t address, unsigned beats) {
    AxiMasterPins& master = masters[port];
    master.ar_valid = true;
    master.ar_address = address;
    master.ar_length = static_cast<std::uint8_t>(beats - 1);
    bool taken = false;
    while (!taken) {
      memory.drive();
      taken = memory.pins(port).ar_ready;
      for (unsigned p = 0; p < masters.size(); ++p) memory.clock(p, masters[p]);
      ++now;
    }
    master.ar_valid = false;
    return now - 1;
  }

  DeviceMemory storage;
  AxiMemory memory;
  std::vector<AxiMasterPins> masters;
  std::uint64_t now = 0;
};

TEST(AxiMemory, FirstBeatComesAfterTheLatencyThenOneACycle) {
  Bench bench({.read_latency = 37});
  bench.masters[0].r_ready = true;
  const std::uint64_t taken = bench.read(0, 0, 5);
  std::vector<std::uint64_t> beats;
  for (int i = 0; i < 60; ++i) {
    bench.memory.drive();
    if (bench.memory.pins(0).r_valid) {
      beats.push_back(bench.now - taken);
      EXPECT_EQ(bench.memory.pins(0).r_last, beats.size() == 5);
    }
    for (unsigned p = 0; p < 3; ++p) bench.memory.clock(p, bench.masters[p]);
    ++bench.now;
  }
  EXPECT_EQ(beats, (std::vector<std::uint64_t>{37, 38, 39, 40, 41}));
  EXPECT_TRUE(bench.memory.idle());
}

TEST(AxiMemory, PortsOfOneBankShareItsBandwidth) {
  for (unsigned banks : {1u, 2u}) {
    Bench bench({.bytes_per_cycle = 32}, 2, banks);
    for (unsigned p = 0; p < 2; ++p) {
      bench.masters[p].r_ready = true;
      for (int i = 0; i < 4; ++i) bench.read(p, p % banks * kBank, 64);
    }
    for (int i = 0; i < 400; ++i) bench.cycle();
    const std::uint64_t beats = bench.memory.statistics(0).read_beats + bench.memory.statistics(1).read_beats;
    EXPECT_NEAR(static_cast<double>(beats), banks == 1 ? 160 : 325, 20);
  }
}

TEST(AxiMemory, WritesLandAndAreConfirmedAfterTheLatency) {
  Bench bench({.write_latency = 21});
  AxiMasterPins& master = bench.masters[1];
  std::array<std::uint32_t, 16> data;
  data.fill(0x01020304);
  master.aw_valid = true;
  master.aw_address = kBank + 4096 - 128;
  master.aw_length = 1;
  master.w_data = data.data();
  bench.cycle();
  master.aw_valid = false;
  master.w_valid = true;
  bench.cycle();
  master.w_last = true;
  bench.cycle();
  master.w_valid = master.w_last = false;
  master.b_ready = true;
  const std::uint64_t sent = bench.now - 1;
  while (!bench.memory.pins(1).b_valid) {
    bench.memory.drive();
    if (!bench.memory.pins(1).b_valid) {
      for (unsigned p = 0; p < 3; ++p) bench.memory.clock(p, bench.masters[p]);
      ++bench.now;
    }
    ASSERT_LT(bench.now, 100u);
  }
  EXPECT_EQ(bench.now - sent, 21u);
  EXPECT_EQ(bench.memory.pins(1).b_response, 0);
  EXPECT_EQ(std::memcmp(bench.storage.at(kBank + 4096 - 64, 64), data.data(), 64), 0);
}

TEST(AxiMemory, ErrorsWhereTheyWerePlantedAndWhereThereIsNoMemory) {
  Bench bench;
  bench.memory.plant_error(100, 100);  // in the second beat
  bench.masters[0].r_ready = true;
  bench.read(0, 0, 3);
  bench.read(0, kBank, 1);      // port 0 reaches bank 0 only
  bench.read(0, 2 * kBank, 1);  // nobody's
  std::vector<int> responses;
  for (int i = 0; i < 200; ++i) {
    bench.memory.drive();
    if (bench.memory.pins(0).r_valid) responses.push_back(bench.memory.pins(0).r_response);
    for (unsigned p = 0; p < 3; ++p) bench.memory.clock(p, bench.masters[p]);
  }
  EXPECT_EQ(responses, (std::vector<int>{0, 2, 0, 3, 3}));
}

TEST(AxiMemory, TheProgramPortReachesEveryBank) {
  Bench bench;
  bench.masters[2].r_ready = true;
  bench.read(2, 0, 1);
  bench.read(2, kBank, 1);
  for (int i = 0; i < 100; ++i) {
    bench.cycle();
    ASSERT_EQ(bench.memory.pins(2).r_response, 0);
  }
  EXPECT_EQ(bench.memory.statistics(2).read_beats, 2u);
}

TEST(AxiMemory, RefusesWhatAxiForbids) {
  EXPECT_THROW(Bench().read(0, 4096 - 64, 2), ProtocolError) << "4 KiB";
  EXPECT_NO_THROW(Bench().read(0, 4096 - 128, 2));
  EXPECT_THROW(Bench().read(0, 0, 65), ProtocolError) << "length";
  EXPECT_THROW(Bench().read(0, 32, 1), ProtocolError) << "alignment";
  {
    Bench bench({.stall_percent = 95, .seed = 3});
    bench.masters[0].ar_valid = true;
    bench.cycle();
    bench.masters[0].ar_address = 64;
    EXPECT_THROW(bench.cycle(), ProtocolError) << "changed before it was taken";
  }
  {
    Bench bench;
    std::array<std::uint32_t, 16> data{};
    bench.masters[0].aw_valid = true;
    bench.masters[0].aw_length = 1;
    bench.masters[0].w_data = data.data();
    bench.cycle();
    bench.masters[0].aw_valid = false;
    bench.masters[0].w_valid = bench.masters[0].w_last = true;
    EXPECT_THROW(bench.cycle(), ProtocolError) << "last beat too early";
  }
}

}  // namespace
}  // namespace heddle::sim
