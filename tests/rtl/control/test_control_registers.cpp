// The host's registers through AXI4-Lite, with the handshakes in every order.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "Vcontrol_registers.h"
#include "rtl/isa/isa.h"
#include "sim/verilated/pins.h"
#include "tests/rtl/control/bench.h"

namespace heddle::test {
namespace {

class ControlRegisters : public testing::Test {
 public:
  ControlRegisters() {
    top.rst_ni = 0;
    cycle();
    cycle();
    top.rst_ni = 1;
    cycle();
  }

  void cycle() {
    top.counter_data_i = counter_answer;
    top.clk_i = 0;
    top.eval();
    // The counters answer one cycle after they were asked.
    if (top.counter_read_o) counter_answer = counter_of(top.counter_index_o);
    top.clk_i = 1;
    top.eval();
  }

  static std::uint64_t counter_of(std::uint64_t index) { return (index + 1) << 40 | (index * 7 + 3); }
  bool coin() { return isa::test::below(random, 2); }

  // Address and data in random order, with gaps; `while_waiting` runs once a cycle.
  void write(std::uint32_t address, std::uint32_t data, unsigned strobe = 15) {
    bool address_left = true, data_left = true;
    bool answered = false;
    for (int i = 0; !answered; ++i) {
      ASSERT_LT(i, 1000) << "no answer to a write";
      if (address_left && coin()) top.awvalid_i = 1;
      if (data_left && coin()) top.wvalid_i = 1;
      top.awaddr_i = top.awvalid_i ? address : isa::test::below(random, 4096);
      top.wdata_i = top.wvalid_i ? data : static_cast<std::uint32_t>(random());
      top.wstrb_i = top.wvalid_i ? strobe : isa::test::below(random, 16);
      top.bready_i = coin();
      top.eval();
      const bool address_goes = top.awvalid_i && top.awready_o, data_goes = top.wvalid_i && top.wready_o;
      answered = top.bvalid_o && top.bready_i;
      if (answered) {
        EXPECT_EQ(top.bresp_o, 0);
      }
      EXPECT_FALSE(top.bvalid_o && (address_left || data_left)) << "answered too early";
      cycle();
      if (address_goes) {
        address_left = false;
        top.awvalid_i = 0;
      }
      if (data_goes) {
        data_left = false;
        top.wvalid_i = 0;
      }
    }
    top.bready_i = 0;
  }

  std::uint32_t read(std::uint32_t address) {
    bool asked = false;
    for (int i = 0; i < 1000; ++i) {
      top.arvalid_i = top.arvalid_i || (!asked && coin());
      top.araddr_i = address;
      top.rready_i = coin();
      top.eval();
      const bool goes = top.arvalid_i && top.arready_o;
      if (top.rvalid_o && top.rready_i) {
        EXPECT_EQ(top.rresp_o, 0);
        const std::uint32_t data = top.rdata_o;
        cycle();
        top.rready_i = 0;
        return data;
      }
      cycle();
      if (goes) {
        asked = true;
        top.arvalid_i = 0;
      }
    }
    ADD_FAILURE() << "no answer to a read";
    return 0;
  }

  void pulse_done() {
    top.done_i = 1;
    cycle();
    top.done_i = 0;
  }

  isa::test::Random random{seed_or(1)};
  Vcontrol_registers top;
  std::uint64_t counter_answer = 0;
};

std::uint32_t merged(std::uint32_t old, std::uint32_t data, unsigned strobe) {
  for (unsigned byte = 0; byte < 4; ++byte)
    if (strobe >> byte & 1) old = (old & ~(255u << 8 * byte)) | (data & (255u << 8 * byte));
  return old;
}

TEST_F(ControlRegisters, KeepWhatWasWrittenAndNothingElse) {
  SCOPED_TRACE(replay(seed_or(1)));
  // Every word of the map that can be written, with the bits that stay.
  std::map<std::uint32_t, std::uint32_t> mask{{0x010, ~63u}, {0x014, ~0u}, {0x018, ~0u}, {0x01C, ~0u}};
  for (std::uint32_t slot = 0; slot < 16; ++slot) {
    mask[0x040 + 16 * slot] = ~63u;
    mask[0x044 + 16 * slot] = ~0u;
    mask[0x048 + 16 * slot] = ~0u;
  }
  std::map<std::uint32_t, std::uint32_t> value;
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t address = 4 * isa::test::below(random, 1024), data = static_cast<std::uint32_t>(random());
    if (address < 0x10) continue;
    const unsigned strobe = isa::test::below(random, 16);
    write(address, data, strobe);
    if (mask.contains(address)) value[address] = merged(value[address], data, strobe) & mask[address];
  }
  for (const auto& [address, bits] : mask) EXPECT_EQ(read(address), value[address]) << std::hex << address;
  for (std::uint32_t slot = 0; slot < 16; ++slot) {
    EXPECT_EQ(sim::get(top.slot_base_o, 64 * slot, 64),
              value[0x040 + 16 * slot] | std::uint64_t{value[0x044 + 16 * slot]} << 32);
    top.slot_i = slot;
    top.eval();
    EXPECT_EQ(top.slot_lines_o, value[0x048 + 16 * slot]);
  }
  EXPECT_EQ(top.program_o, value[0x010] | std::uint64_t{value[0x014]} << 32);
  EXPECT_EQ(top.program_words_o, value[0x018]);
  EXPECT_EQ(top.watchdog_o, value[0x01C]);
}

TEST_F(ControlRegisters, DescribeTheCoreAndTheRun) {
  top.error_i = 9;
  top.error_index_i = 0xABCDEF01;
  top.waiting_i = 0x5A5A;
  top.waiting_for_i = 0x1234567;
  const std::map<std::uint32_t, std::uint32_t> expected{{0x140, 9},
                                                        {0x144, 0xABCDEF01},
                                                        {0x148, 0x5A5A},
                                                        {0x14C, 0x1234567},
                                                        {0x150, 0x4C444548},
                                                        {0x154, isa::kVersion},
                                                        {0x158, 64u | 3 << 8 | 5 << 12 | 20 << 16},
                                                        {0x15C, 4096},
                                                        {0x160, 512}};
  for (std::uint32_t address = 0; address < 0x1000; address += 4) {
    const std::uint32_t data = read(address);
    if (address == 0) {
      EXPECT_EQ(data, 4u);  // idle
    } else if (expected.contains(address)) {
      EXPECT_EQ(data, expected.at(address)) << std::hex << address;
    } else if (address >= 0x180 && address < 0x180 + 8 * 27) {
      const std::uint32_t index = (address - 0x180) / 8;
      EXPECT_EQ(data, static_cast<std::uint32_t>(counter_of(index) >> (address % 8 ? 32 : 0))) << std::hex << address;
    } else {
      EXPECT_EQ(data, 0u) << std::hex << address;
    }
  }
}

TEST_F(ControlRegisters, StartAProgramAndTellWhenItIsDone) {
  EXPECT_EQ(read(0), 4u);
  write(0, 0);
  write(0, ~0u, 14);  // not the byte of ap_start
  EXPECT_EQ(top.start_o, 0);
  write(0, 1);
  EXPECT_EQ(top.start_o, 1);
  top.running_i = 1;
  EXPECT_EQ(read(0), 1u);
  top.running_i = 0;
  pulse_done();
  EXPECT_EQ(top.start_o, 0);
  EXPECT_EQ(read(0), 0xEu);  // done, idle, ready
  EXPECT_EQ(read(0), 4u);    // cleared by reading
}

TEST_F(ControlRegisters, InterruptAsVitisDefinesIt) {
  pulse_done();
  EXPECT_EQ(read(0x00C), 0u);  // nothing enabled
  write(0x008, 1);
  write(0x004, 1);
  EXPECT_EQ(read(0x008), 1u);
  EXPECT_EQ(read(0x004), 1u);
  EXPECT_EQ(top.interrupt_o, 0);
  pulse_done();
  EXPECT_EQ(top.interrupt_o, 1);
  EXPECT_EQ(read(0x00C), 1u);
  write(0x00C, 1);  // toggles
  EXPECT_EQ(top.interrupt_o, 0);
  write(0x00C, 2);
  EXPECT_EQ(top.interrupt_o, 1);
  write(0x004, 0);
  EXPECT_EQ(top.interrupt_o, 0);
}

TEST_F(ControlRegisters, ReadsGoOnWhileAWriteWaits) {
  // An address whose data never comes.
  top.awvalid_i = 1;
  top.awaddr_i = 0x10;
  cycle();
  top.awvalid_i = 0;
  EXPECT_EQ(read(0x150), 0x4C444548u);
  // A read whose answer is not taken.
  top.arvalid_i = 1;
  top.araddr_i = 0x150;
  cycle();
  top.arvalid_i = 0;
  for (int i = 0; i < 10; ++i) cycle();
  top.wvalid_i = 1;
  top.wdata_i = 0x12345678;
  top.wstrb_i = 15;
  cycle();
  top.wvalid_i = 0;
  for (int i = 0; i < 4; ++i) cycle();
  EXPECT_EQ(top.bvalid_o, 1);
  EXPECT_EQ(top.program_o, 0x12345678u & ~63u);
}

}  // namespace
}  // namespace heddle::test
