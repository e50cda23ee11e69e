// What is generated for cards: memory for every pointer, places, and a kernel that the driver would accept.
#include "bitstreams/generate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "driver/device.h"
#include "driver/xclbin/image.h"
#include "driver/xclbin/metadata.h"
#include "driver/xclbin/tables.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using namespace bitstreams;

const std::vector<std::string> kCards{"u50", "u200", "u250", "u280", "u55c"};

Card card_of(const std::string& name) {
  return load_card(std::string(HEDDLE_SOURCE_DIR) + "/bitstreams/cards/" + name + ".toml");
}

// "key=value" lines of a linker's file.
std::multimap<std::string, std::string> settings_of(const std::string& text) {
  std::multimap<std::string, std::string> settings;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (const auto equals = line.find('='); equals != std::string::npos && line[0] != '#')
      settings.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return settings;
}

class EveryCard : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cards, EveryCard, testing::ValuesIn(kCards), [](const auto& info) { return info.param; });

TEST_P(EveryCard, LinkFileConnectsEveryPointerOfEveryCoreOnce) {
  const Card card = card_of(GetParam());
  const auto settings = settings_of(link_configuration(card));
  std::map<std::string, std::string> memory;
  for (auto [it, end] = settings.equal_range("sp"); it != end; ++it) {
    const std::size_t colon = it->second.find(':');
    EXPECT_TRUE(memory.emplace(it->second.substr(0, colon), it->second.substr(colon + 1)).second) << it->second;
  }
  std::size_t pointers = 0;
  for (std::uint32_t c = 0; c < card.config.cores; ++c) {
    for (const auto& argument : xclbin::kernel_interface(card.config).arguments) {
      if (!argument.pointer) continue;
      ++pointers;
      EXPECT_TRUE(memory.contains(xclbin::unit_name(c) + "." + argument.name)) << argument.name;
    }
    EXPECT_EQ(memory[xclbin::unit_name(c) + ".program"], memory[xclbin::unit_name(c) + ".slot0"])
        << "programs are allocated for port 0";
    for (std::size_t slot = 0; slot < driver::kSlots; ++slot)
      EXPECT_EQ(memory[xclbin::unit_name(c) + ".slot" + std::to_string(slot)],
                card.cores[c].ports[slot % card.config.axi_ports].text());
  }
  EXPECT_EQ(memory.size(), pointers);
  EXPECT_EQ(settings.count("nk"), 1u);
  EXPECT_EQ(settings.count("slr"), card.config.cores);
}

TEST_P(EveryCard, CoresHaveDiesAndMemoryOfTheirOwn) {
  const Card card = card_of(GetParam());
  EXPECT_EQ(card.platform.find("xilinx_" + GetParam() + "_"), 0u);
  EXPECT_EQ(card.part.find("xc" + GetParam() + "-"), 0u);
  std::set<std::string> dies, banks;
  for (const CorePlace& core : card.cores) {
    EXPECT_TRUE(dies.insert(core.slr).second);
    std::set<std::string> mine;
    for (const MemoryRange& range : core.ports)
      for (std::uint32_t i = range.first; i <= range.last; ++i) mine.insert(MemoryRange{range.kind, i, i}.text());
    for (const std::string& bank : mine) EXPECT_TRUE(banks.insert(bank).second) << bank;
  }
}

TEST_P(EveryCard, LinkedKernelWouldBeAcceptedByTheDriver) {
  const Card card = card_of(GetParam());
  xclbin::KernelInterface kernel = card_interface(card);
  for (std::size_t b = 0; b < kernel.banks.size(); ++b) {
    kernel.banks[b].base = b << 28;
    kernel.banks[b].bytes = 1 << 28;
  }
  const auto text = [](xclbin::SectionKind kind, const std::string& content) {
    return xclbin::Section{kind, "", xclbin::ByteWriter().text(content).take()};
  };
  xclbin::Container file;
  file.mode = xclbin::Mode::flat;
  file.platform = card.platform;
  file.sections = {text(xclbin::SectionKind::embedded_metadata, to_xml(kernel, "xilinx:card:shell:1.0", 300)),
                   {xclbin::SectionKind::mem_topology, "", xclbin::mem_topology(kernel.banks)},
                   {xclbin::SectionKind::connectivity, "", xclbin::connectivity(kernel.connections)},
                   {xclbin::SectionKind::ip_layout, "", xclbin::ip_layout(kernel.kernel, kernel.units)},
                   text(xclbin::SectionKind::user_metadata, to_json(xclbin::identity_of(card.config)))};
  const xclbin::Image image = xclbin::read(encode(file), "card.xclbin");
  for (const std::string& difference : differences(image, card.config)) ADD_FAILURE() << difference;
}

TEST_P(EveryCard, FolderHoldsTheKernelOfItsConfiguration) {
  const Card card = card_of(GetParam());
  const fs::path folder = fs::path(HEDDLE_CARD_FOLDERS) / GetParam();
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(read_text(folder / "kernel.xml").c_str()));
  const pugi::xml_node kernel = document.child("root").child("kernel");
  EXPECT_STREQ(kernel.attribute("vlnv").value(), "heddle:kernel:heddle_top:1.0") << "what package_kernel.tcl packages";
  std::size_t i = 0;
  const xclbin::KernelInterface expected = xclbin::kernel_interface(card.config);
  for (pugi::xml_node argument : kernel.child("args").children("arg")) {
    ASSERT_LT(i, expected.arguments.size());
    EXPECT_EQ(argument.attribute("name").value(), expected.arguments[i].name);
    EXPECT_EQ(argument.attribute("port").value(), expected.arguments[i].port);
    EXPECT_EQ(std::stoul(argument.attribute("offset").value(), nullptr, 16), expected.arguments[i].offset);
    ++i;
  }
  EXPECT_EQ(i, expected.arguments.size());
  EXPECT_EQ(read_text(folder / "link.cfg"), link_configuration(card));
  std::istringstream sources(read_text(folder / "sources.f"));
  std::set<std::string> names;
  for (std::string line; std::getline(sources, line);) {
    EXPECT_TRUE(fs::exists(folder / line)) << line;
    EXPECT_NE(read_text(folder / line).find("`define HEDDLE_DSP48E2"), std::string::npos) << line;
    names.insert(line);
  }
  EXPECT_TRUE(names.contains("rtl/core/heddle_top.sv"));
  EXPECT_TRUE(names.contains("rtl/" + GetParam() + "/heddle_config_pkg.sv"));
  EXPECT_FALSE(names.contains("rtl/mxu/dsp48e2_model.sv")) << "a model in place of the card's own DSP";
  EXPECT_NE(read_text(folder / "rtl" / GetParam() / "heddle_config_pkg.sv").find("COLS"), std::string::npos);
}

TEST(CardFile, MistakesAreNamed) {
  const fs::path path = fs::temp_directory_path() / ("heddle_card_" + std::to_string(::getpid()) + ".toml");
  const std::string good = read_text(std::string(HEDDLE_SOURCE_DIR) + "/bitstreams/cards/u200.toml");
  const auto error_of = [&](const std::string& from, const std::string& to) -> std::string {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    write_atomically(path, text);
    try {
      load_card(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of("DDR[0]", "DDR[0]"), "no error");
  EXPECT_NE(error_of("DDR[0]", "DDR[0:1]").find("DDR[0:1]"), std::string::npos);
  EXPECT_NE(error_of("DDR[0]", "PLRAM[0]").find("PLRAM[0]"), std::string::npos);
  EXPECT_NE(error_of("DDR[0]", "HBM[3:2]").find("HBM[3:2]"), std::string::npos);
  EXPECT_NE(error_of("DDR[0]", "HBM[32]").find("HBM[32]"), std::string::npos);
  EXPECT_NE(error_of("\"DDR[0]\", ", "").find("3 ports"), std::string::npos);
  EXPECT_NE(error_of("[[core]]", "[[other]]").find("places 1 cores"), std::string::npos);
  EXPECT_NE(error_of("platform", "platfrom").find("platform"), std::string::npos);
  EXPECT_NE(error_of("[[core]]", "[[core").find(path.string()), std::string::npos);
  fs::remove(path);
}

TEST(Sources, DefineWhatSynthesisNeedsBeforeAnythingElse) {
  const std::string text = synthesis_source("module m;\n");
  EXPECT_LT(text.find("`define SYNTHESIS"), text.find("module"));
  EXPECT_LT(text.find("`ifndef SYNTHESIS"), text.find("`define SYNTHESIS")) << "the tool may define it, too";
}

}  // namespace
}  // namespace heddle::test
