// Whole files: what is written is read, and each item that differs from a configuration is named.
#include "driver/xclbin/image.h"

#include <gtest/gtest.h>

#include <functional>

#include "driver/xclbin/launcher.h"
#include "driver/xclbin/metadata.h"
#include "driver/xclbin/tables.h"

namespace heddle::test {
namespace {

using namespace xclbin;

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

TEST(Image, BringsBackWhatWasWritten) {
  for (const std::string& preset : config::presets()) {
    SCOPED_TRACE(preset);
    const config::Config config = config::load(preset);
    const Bytes file = make_emulated(config, "/usr/bin/device");
    const Image image = read(file, "file");
    EXPECT_EQ(image.mode, Mode::hw_emu);
    EXPECT_EQ(image.platform, kEmulationPlatform);
    EXPECT_EQ(image.kernel, emulated_interface(config));
    EXPECT_EQ(image.identity, identity_of(config));
    EXPECT_EQ(joined(differences(image, config)), "");
  }
}

TEST(Image, SameContentHasTheSameUuidAndAnyChangeAnother) {
  const config::Config config = config::load("sim");
  const Bytes file = make_emulated(config, "device");
  EXPECT_EQ(file, make_emulated(config, "device"));
  EXPECT_NE(read(file, "").uuid, read(make_emulated(config, "devicf"), "").uuid);
  config::Config other = config;
  other.model.read_latency += 1;
  EXPECT_NE(read(file, "").uuid, read(make_emulated(other, "device"), "").uuid);
  EXPECT_EQ(read(file, "").uuid[6] >> 4, 8);
  EXPECT_EQ(to_string(read(file, "").uuid).size(), 36u);
}

struct Change {
  std::string name;  // what the sentence has to name
  std::function<void(config::Config&)> apply;
};

TEST(Image, EveryDifferenceOfAConfigurationIsNamed) {
  const std::vector<Change> changes{
      {"columns: the xclbin has 32, the configuration 64", [](auto& c) { c.cols = 64; }},
      {"cores", [](auto& c) { c.cores = 3; }},
      {"compute unit heddle_core_2", [](auto& c) { c.cores = 2; }},
      {"weight FIFO", [](auto& c) { c.weight_fifo = 2; }},
      {"unified-buffer lines", [](auto& c) { c.ub_lines *= 2; }},
      {"unified-buffer banks", [](auto& c) { c.ub_banks *= 2; }},
      {"accumulator rows", [](auto& c) { c.acc_rows /= 2; }},
      {"queue depth", [](auto& c) { c.queue_depth = 8; }},
      {"AXI ports", [](auto& c) { c.axi_ports = 2; }},
      {"argument 7: the xclbin has slot2 (pointer at 96 through m_axi_gmem2)", [](auto& c) { c.axi_ports = 2; }},
      {"memory banks", [](auto& c) { c.model.banks = 2; }},
  };
  const config::Config config = config::load("sim");
  const Image image = read(make_emulated(config, "device"), "file");
  for (const Change& change : changes) {
    config::Config other = config;
    change.apply(other);
    EXPECT_NE(joined(differences(image, other)).find(change.name), std::string::npos)
        << change.name << "\n"
        << joined(differences(image, other));
  }
}

TEST(Image, NameClockAndMemoryTimingAreNoDifferences) {
  const config::Config config = config::load("sim");
  const Image image = read(make_emulated(config, "device"), "file");
  config::Config other = config;
  other.name = "mine";
  other.mhz = 250;
  other.model.read_latency = 200;
  EXPECT_EQ(joined(differences(image, other)), "");
}

TEST(Image, OldVersionsAreNamed) {
  const config::Config config = config::load("sim");
  Image image = read(make_emulated(config, "device"), "file");
  image.identity->interface_version -= 1;
  image.identity->isa_version += 1;
  image.identity->rows = 16;
  const std::string text = joined(differences(image, config));
  EXPECT_NE(text.find("interface version"), std::string::npos) << text;
  EXPECT_NE(text.find("ISA version"), std::string::npos) << text;
  EXPECT_NE(text.find("rows: the xclbin has 16"), std::string::npos) << text;
  image.identity.reset();
  EXPECT_NE(joined(differences(image, config)).find("USER_METADATA"), std::string::npos);
}

// ----------------------------------------------------------------------- files as a linker for cards makes them
Section text_section(SectionKind kind, const std::string& text) { return {kind, "", ByteWriter().text(text).take()}; }

// Two HBM banks and a second kernel before ours, as a shell with more in it has.
Container card_file(const config::Config& config, std::vector<Connection> connections, std::vector<Bank> banks) {
  KernelInterface kernel = kernel_interface(config);
  ByteWriter layout;
  layout.number(std::uint32_t(1 + kernel.units.size())).fill(4);
  layout.number(std::uint32_t{1}).number(std::uint32_t{0}).number(std::uint64_t{0x1400000}).name("other:other_1", 64);
  for (const ComputeUnit& unit : kernel.units)
    layout.number(std::uint32_t{1}).number(std::uint32_t{1}).number(unit.base).name("heddle_top:" + unit.name, 64);
  Container container;
  container.mode = Mode::flat;
  container.platform = "xilinx_u50_gen3x16_xdma_5_202210_1";
  container.sections = {{SectionKind::bitstream, "", Bytes(1000)},
                        text_section(SectionKind::embedded_metadata, to_xml(kernel, "xilinx:u50:gen3x16:5.0", 300)),
                        {SectionKind::mem_topology, "", mem_topology(banks)},
                        {SectionKind::connectivity, "", connectivity(connections)},
                        {SectionKind::ip_layout, "", layout.take()},
                        {static_cast<SectionKind>(11), "clock", Bytes(138)},
                        text_section(SectionKind::user_metadata, to_json(identity_of(config)))};
  return container;
}

std::vector<Connection> all_to(const config::Config& config, std::uint32_t bank) {
  std::vector<Connection> connections{{0, 0, 1}};  // of the other kernel
  for (std::uint32_t u = 1; u <= config.cores; ++u) {
    connections.push_back({kProgramArgument, u, bank});
    for (std::uint32_t s = 0; s < 16; ++s) connections.push_back({slot_argument(s), u, bank});
  }
  return connections;
}

const std::vector<Bank> kHbm{{"HBM[0]", MemoryKind::hbm, 0, 1 << 28, true},
                             {"HBM[1]", MemoryKind::hbm, 1 << 28, 1 << 28, true},
                             {"HBM[2]", MemoryKind::hbm, 2 << 28, 1 << 28, false}};

TEST(CardImage, FitsAlthoughItsUuidIsNoDigestAndOtherKernelsAreThere) {
  const config::Config config = config::load("u50");
  Bytes file = encode(card_file(config, all_to(config, 1), kHbm));
  file[416] ^= std::byte{1};  // of the UUID
  const Image image = read(file, "card.xclbin");
  EXPECT_FALSE(image.emulated());
  EXPECT_EQ(image.kernel.units.size(), 2u);
  EXPECT_EQ(image.kernel.connections.size(), 34u);
  EXPECT_EQ(joined(differences(image, config)), "");
}

TEST(CardImage, ArgumentWithoutMemoryIsNamed) {
  const config::Config config = config::load("u50");
  std::vector<Connection> connections = all_to(config, 1);
  std::erase_if(connections, [](const Connection& c) { return c.argument == slot_argument(6) && c.unit == 2; });
  const Image image = read(encode(card_file(config, connections, kHbm)), "card.xclbin");
  EXPECT_EQ(joined(differences(image, config)), "argument slot6 of heddle_core_2: it reaches no memory bank\n");
}

TEST(CardImage, MemoryThatIsNotUsedDoesNotCount) {
  const config::Config config = config::load("u50");
  const Image image = read(encode(card_file(config, all_to(config, 2), kHbm)), "card.xclbin");
  EXPECT_EQ(differences(image, config).size(), 2u * 17);
}

TEST(CardImage, BanksThatShareAddressesAreNamed) {
  const config::Config config = config::load("u50");
  std::vector<Bank> banks = kHbm;
  banks[1].base = 0;
  const Image image = read(encode(card_file(config, all_to(config, 1), banks)), "card.xclbin");
  EXPECT_NE(joined(differences(image, config)).find("HBM[0] and HBM[1]"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
