#include "config/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "common/error.h"
#include "common/files.h"

namespace heddle::config {
namespace {

std::string replaced(std::string text, const std::string& find, const std::string& replace) {
  const auto at = text.find(find);
  EXPECT_NE(at, std::string::npos) << find;
  return text.replace(at, find.size(), replace);
}

std::string sim_text() { return to_toml(load("sim")); }

std::string error_of(const std::string& text) {
  try {
    parse(text, "c.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Config, EveryPresetLoadsUnderItsName) {
  for (const auto& name : presets()) EXPECT_EQ(load(name).name, name);
  EXPECT_EQ(presets(), (std::vector<std::string>{"sim", "tiny", "u200", "u250", "u280", "u50", "u55c"}));
}

TEST(Config, SimIsOneCoreOf32Columns) {
  const Config sim = load("sim");
  EXPECT_EQ(sim.cores, 1u);
  EXPECT_EQ(sim.cols, 32u);
  EXPECT_EQ(sim.ub_lines, 16384u);
  EXPECT_EQ(sim.model.read_latency, 80u);
}

TEST(Config, AccumulatorLinesFollowTheColumns) {
  EXPECT_EQ(load("tiny").acc_lines(), load("tiny").acc_rows);
  EXPECT_EQ(load("sim").acc_lines(), load("sim").acc_rows);
  EXPECT_EQ(load("u250").acc_lines(), 2 * load("u250").acc_rows);
}

TEST(Config, TextRoundTrips) {
  for (const auto& name : presets()) EXPECT_EQ(parse(to_toml(load(name)), name), load(name));
}

TEST(Config, FilesLoadByPath) {
  const auto path = std::filesystem::temp_directory_path() / ("heddle_config_" + std::to_string(::getpid()) + ".toml");
  write_atomically(path, replaced(sim_text(), "cols = 32", "cols = 64"));
  EXPECT_EQ(load(path.string()).cols, 64u);
  std::filesystem::remove(path);
  EXPECT_THROW(load(path.string()), InputError);
}

TEST(Config, UnknownPresetListsThePresets) {
  try {
    load("u999");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "there is no configuration 'u999'; give the path of a .toml file or one of sim, tiny, u200, u250, "
                 "u280, u50, u55c");
  }
}

TEST(Config, ErrorsNameFileKeyAndLegalValues) {
  EXPECT_EQ(error_of(replaced(sim_text(), "cols = 32", "cols = 24")),
            "configuration c.toml: 'array.cols' is 24; it has to be 8, 16, 32 or 64");
  EXPECT_EQ(error_of(replaced(sim_text(), "cols = 32", "cols = \"32\"")),
            "configuration c.toml: 'array.cols' is '32'; it has to be 8, 16, 32 or 64");
  EXPECT_EQ(error_of(replaced(sim_text(), "cols = 32", "")),
            "configuration c.toml: 'array.cols' is missing; it has to be 8, 16, 32 or 64");
  EXPECT_EQ(error_of(replaced(sim_text(), "ub_lines = 16384", "ub_lines = 16383")),
            "configuration c.toml: 'buffers.ub_lines' is 16383; it has to be a power of two from 1024 to 262144");
  EXPECT_EQ(error_of(replaced(sim_text(), "stall_percent = 0", "stall_percent = -1")),
            "configuration c.toml: 'model.stall_percent' is -1; it has to be an integer from 0 to 95");
  EXPECT_EQ(error_of(replaced(sim_text(), "bytes_per_cycle = 64", "bytes_per_cycle = 60")),
            "configuration c.toml: 'model.bytes_per_cycle' is 60; it has to be a multiple of 8 from 8 to 64");
  EXPECT_EQ(error_of(replaced(sim_text(), "axi_bytes = 64", "axi_bytes = 32")),
            "configuration c.toml: 'memory.axi_bytes' is 32; it has to be 64");
  EXPECT_EQ(error_of(replaced(sim_text(), "cols = 32", "cols = 32\ncolumns = 3")),
            "configuration c.toml: unknown key 'array.columns'; [array] has cols, weight_fifo");
  EXPECT_EQ(error_of("colours = 3\n" + sim_text()), "configuration c.toml: unknown key 'colours'");
  EXPECT_EQ(error_of(replaced(sim_text(), "name = \"sim\"", "name = 5")),
            "configuration c.toml: 'name' has to be a string of letters, digits, - and _");
  EXPECT_EQ(error_of("array = 5"), "configuration c.toml: 'array' has to be a section: [array]");
  EXPECT_EQ(error_of("cols = ").substr(0, 38), "configuration c.toml: line 1, column 8");
}

TEST(Config, KeysNestedBeyondAllMeasureAreAnError) {
  const std::string text = sim_text();
  std::string key = "a";
  for (int i = 0; i < 50000; ++i) key += ".a";
  EXPECT_EQ(error_of(text + "[" + key + "]"), "configuration c.toml: line " +
                                                  std::to_string(std::count(text.begin(), text.end(), '\n') + 1) +
                                                  " has more than 1000 characters");
}

TEST(Config, EachValueIsCheckedOnBothSides) {
  const std::string text = sim_text();
  for (std::size_t at = text.find(" = "); at != std::string::npos; at = text.find(" = ", at + 1)) {
    if (text[at + 3] == '"') continue;
    const std::size_t end = text.find('\n', at);
    for (const char* wrong : {"-1", "4294967296", "1.5", "true", "[1]"})
      EXPECT_NE(error_of(text.substr(0, at + 3) + wrong + text.substr(end)), "")
          << text.substr(0, at) << " = " << wrong;
  }
}

TEST(Config, PackageHoldsTheSizes) {
  const std::string package = to_package(load("u250"));
  EXPECT_NE(package.find("localparam COLS = 64;"), std::string::npos);
  EXPECT_NE(package.find("localparam UB_LINES = 65536;"), std::string::npos);
}

}  // namespace
}  // namespace heddle::config
