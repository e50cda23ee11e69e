// The file that we write, seen through the structures of XRT's own header.
#include <gtest/gtest.h>
#include <xclbin.h>

#include <cstring>
#include <set>

#include "driver/xclbin/image.h"

namespace heddle::test {
namespace {

class Layout : public testing::Test {
 protected:
  Layout() : config(config::load("u250")), file(xclbin::make_emulated(config, "/opt/device")) {}

  const axlf& header() const { return *reinterpret_cast<const axlf*>(file.data()); }
  const axlf_section_header& section(axlf_section_kind kind) const {
    for (std::uint32_t i = 0; i < header().m_header.m_numSections; ++i)
      if (header().m_sections[i].m_sectionKind == static_cast<std::uint32_t>(kind)) return header().m_sections[i];
    throw std::runtime_error("no section " + std::to_string(kind));
  }
  template <typename T>
  const T& at(axlf_section_kind kind) const {
    return *reinterpret_cast<const T*>(file.data() + section(kind).m_sectionOffset);
  }

  config::Config config;
  xclbin::Bytes file;
};

TEST_F(Layout, HeaderIsThatOfXrt) {
  EXPECT_EQ(std::memcmp(header().m_magic, "xclbin2", 8), 0);
  EXPECT_EQ(header().m_signature_length, -1);
  EXPECT_EQ(header().m_header.m_length, file.size());
  EXPECT_EQ(header().m_header.m_mode, XCLBIN_HW_EMU);
  EXPECT_EQ(header().m_header.m_versionMajor, 2);
  EXPECT_STREQ(reinterpret_cast<const char*>(header().m_header.m_platformVBNV), xclbin::kEmulationPlatform);
  EXPECT_EQ(std::memcmp(header().m_header.uuid, xclbin::content_uuid(file).data(), 16), 0);
}

TEST_F(Layout, SectionsAreAlignedAndInside) {
  for (std::uint32_t i = 0; i < header().m_header.m_numSections; ++i) {
    EXPECT_EQ(header().m_sections[i].m_sectionOffset % 8, 0u);
    EXPECT_LE(header().m_sections[i].m_sectionOffset + header().m_sections[i].m_sectionSize, file.size());
  }
  EXPECT_EQ(header().m_header.m_numSections, 6u);
  EXPECT_GT(section(USER_METADATA).m_sectionSize, 100u);
}

TEST_F(Layout, MemoryIsThatOfTheConfiguration) {
  const auto& memory = at<mem_topology>(MEM_TOPOLOGY);
  ASSERT_EQ(memory.m_count, 4);
  for (int b = 0; b < 4; ++b) {
    const mem_data& bank = memory.m_mem_data[b];
    EXPECT_EQ(bank.m_type, MEM_DDR4);
    EXPECT_EQ(bank.m_used, 1);
    EXPECT_EQ(bank.m_size, std::uint64_t{4} << 20) << "KiB";
    EXPECT_EQ(bank.m_base_address, static_cast<std::uint64_t>(b) << 32);
    EXPECT_EQ(reinterpret_cast<const char*>(bank.m_tag), "DDR[" + std::to_string(b) + "]");
  }
}

TEST_F(Layout, ComputeUnitsAreKernelsWithHandshake) {
  const auto& layout = at<ip_layout>(IP_LAYOUT);
  ASSERT_EQ(layout.m_count, 4);
  for (int u = 0; u < 4; ++u) {
    const ip_data& unit = layout.m_ip_data[u];
    EXPECT_EQ(unit.m_type, static_cast<std::uint32_t>(IP_KERNEL));
    EXPECT_EQ((unit.properties & IP_CONTROL_MASK) >> IP_CONTROL_SHIFT, static_cast<std::uint32_t>(AP_CTRL_HS));
    EXPECT_EQ(reinterpret_cast<const char*>(unit.m_name), "heddle_top:heddle_core_" + std::to_string(u + 1));
    EXPECT_EQ(unit.m_base_address & 0xFF, 0u) << "XRT uses the low byte for other things";
    EXPECT_LT(unit.m_base_address, std::uint64_t{1} << 32);
  }
}

TEST_F(Layout, EveryPointerIsConnectedOnce) {
  const auto& connections = at<connectivity>(CONNECTIVITY);
  std::set<std::pair<int, int>> seen;
  for (int i = 0; i < connections.m_count; ++i) {
    const connection& c = connections.m_connection[i];
    EXPECT_TRUE(seen.insert({c.m_ip_layout_index, c.arg_index}).second);
    EXPECT_LT(c.mem_data_index, 4);
  }
  EXPECT_EQ(seen.size(), 4u * (1 + driver::kSlots));
}

}  // namespace
}  // namespace heddle::test
