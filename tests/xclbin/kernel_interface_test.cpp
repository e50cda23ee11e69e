// Arguments, ports and memory: the same registers as the RTL, the same banks as the in-process simulation.
#include "driver/xclbin/kernel_interface.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "common/error.h"
#include "driver/registers.h"
#include "driver/xclbin/emconfig.h"
#include "driver/xclbin/metadata.h"

namespace heddle::test {
namespace {

using namespace xclbin;

std::string text_of(const std::string& path) {
  std::ifstream in(std::string(HEDDLE_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(KernelInterface, ArgumentsHaveTheRegistersOfTheDesign) {
  const KernelInterface kernel = kernel_interface(config::load("sim"));
  ASSERT_EQ(kernel.arguments.size(), 35u);
  EXPECT_EQ(kernel.arguments[kProgramArgument], (Argument{"program", true, 0x10, "m_axi_prog"}));
  EXPECT_EQ(kernel.arguments[kWordsArgument], (Argument{"program_words", false, 0x18, "s_axi_control"}));
  EXPECT_EQ(kernel.arguments[kWatchdogArgument], (Argument{"watchdog_cycles", false, 0x1C, "s_axi_control"}));
  for (std::uint32_t s = 0; s < 16; ++s) {
    EXPECT_EQ(kernel.arguments[slot_argument(s)],
              (Argument{"slot" + std::to_string(s), true, 0x40 + 16 * s, "m_axi_gmem" + std::to_string(s % 4)}));
    EXPECT_EQ(kernel.arguments[lines_argument(s)],
              (Argument{"slot" + std::to_string(s) + "_lines", false, 0x48 + 16 * s, "s_axi_control"}));
  }
}

TEST(KernelInterface, RegistersDoNotOverlapAndLeaveTheControlRegistersAlone) {
  std::set<std::uint32_t> words;
  for (const Argument& argument : kernel_interface(config::load("tiny")).arguments) {
    for (std::uint32_t at = argument.offset; at < argument.offset + argument.bytes(); at += 4) {
      EXPECT_TRUE(words.insert(at).second) << argument.name;
      EXPECT_GE(at, 0x10u);
      EXPECT_LT(at, driver::registers::kError);
    }
  }
}

TEST(KernelInterface, SlotsPassThroughTheirPort) {
  for (const std::string& preset : config::presets()) {
    const config::Config config = config::load(preset);
    const KernelInterface kernel = kernel_interface(config);
    EXPECT_EQ(kernel.ports.size(), 2u + config.axi_ports);
    EXPECT_EQ(kernel.units.size(), config.cores);
    for (std::uint32_t s = 0; s < 16; ++s)
      EXPECT_EQ(kernel.arguments[slot_argument(s)].port, data_port(s % config.axi_ports));
  }
}

TEST(KernelInterface, EmulatedMemoryIsThatOfTheSimulation) {
  const config::Config config = config::load("tiny");  // 2 ports, 2 banks
  const KernelInterface kernel = emulated_interface(config);
  ASSERT_EQ(kernel.banks.size(), 2u);
  std::uint32_t found = 0;
  for (const Connection& c : kernel.connections) {
    const std::uint32_t slot = c.argument == kProgramArgument ? 0 : (c.argument - slot_argument(0)) / 2;
    EXPECT_EQ(c.bank, slot % 2) << c.argument;
    ++found;
  }
  EXPECT_EQ(found, 17u);
}

TEST(KernelInterface, PortsAreThoseOfTheTopModule) {
  const std::string top = text_of("rtl/core/heddle_top.sv");
  std::set<std::string> modules, ports;
  const std::regex port("(m_axi_[a-z0-9]+|s_axi_control)_araddr");
  for (std::sregex_iterator match(top.begin(), top.end(), port), end; match != end; ++match)
    ports.insert((*match)[1].str());
  std::set<std::string> described;
  for (const Port& p : kernel_interface(config::load("sim")).ports) {
    described.insert(p.name);
    const std::regex data("logic \\[" + std::to_string(p.data_bits - 1) + ":0\\] " + p.name + "_rdata");
    EXPECT_TRUE(std::regex_search(top, data)) << p.name << " is not " << p.data_bits << " bit wide";
  }
  EXPECT_EQ(ports, described);
  EXPECT_NE(top.find("module " + std::string(kKernelName) + " ("), std::string::npos);
}

TEST(KernelInterface, XmlBringsBackWhatWasWritten) {
  for (const std::string& preset : config::presets()) {
    const KernelInterface kernel = emulated_interface(config::load(preset));
    const std::string xml = to_xml(kernel, kEmulationPlatform, 300);
    const Metadata metadata = read_metadata(std::as_bytes(std::span(xml)), kKernelName);
    EXPECT_EQ(metadata.ports, kernel.ports);
    EXPECT_EQ(metadata.arguments, kernel.arguments);
    EXPECT_EQ(metadata.units, kernel.units);
  }
}

TEST(Emconfig, HasTheBoardsThatWereAskedFor) {
  const config::Config config = config::load("sim");
  EXPECT_NE(emconfig(config, 4).find("\"NumDevices\": 4"), std::string::npos);
  EXPECT_NE(emconfig(config, 4).find(kEmulationPlatform), std::string::npos);
  EXPECT_NE(emconfig(config, 4).find("\"FileVersion\": \"2.0\""), std::string::npos);
  EXPECT_THROW(emconfig(config, 0), InputError);
  EXPECT_THROW(emconfig(config, kMostBoards + 1), InputError);
}

}  // namespace
}  // namespace heddle::test
