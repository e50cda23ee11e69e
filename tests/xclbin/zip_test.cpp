// Archives that `unzip` unpacks as XRT calls it, and the script in them.
#include "driver/xclbin/zip.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/files.h"
#include "config/config.h"
#include "driver/xclbin/launcher.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

class Zip : public testing::Test {
 protected:
  Zip() : folder(fs::temp_directory_path() / ("heddle_zip_" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~Zip() override { fs::remove_all(folder); }

  void unpack(const xclbin::Bytes& archive) {
    write_atomically(folder / "a.zip", std::span<const std::byte>(archive));
    ASSERT_EQ(std::system(("cd '" + folder.string() + "' && unzip -q a.zip").c_str()), 0);
  }
  std::string content(const fs::path& path) { return read_text(folder / path); }
  int shell(const std::string& command) {
    return std::system(("cd '" + folder.string() + "/behav_waveform/xsim' && " + command).c_str());
  }

  fs::path folder;
};

TEST_F(Zip, UnpacksToTheSameFiles) {
  if (std::system("command -v unzip >/dev/null") != 0) GTEST_SKIP() << "unzip is not installed";
  std::string binary(70000, '\0');
  for (std::size_t i = 0; i < binary.size(); ++i) binary[i] = static_cast<char>(i * i);
  unpack(xclbin::zip({{"a/b/run.sh", "exit 0\n", true}, {"empty", "", false}, {"a/data", binary, false}}));
  EXPECT_EQ(content("a/b/run.sh"), "exit 0\n");
  EXPECT_EQ(content("empty"), "");
  EXPECT_EQ(content("a/data"), binary);
  EXPECT_EQ(::access((folder / "a/b/run.sh").c_str(), X_OK), 0);
  EXPECT_EQ(fs::status(folder / "a/data").permissions() & fs::perms::owner_exec, fs::perms::none);
}

TEST_F(Zip, LauncherStartsTheDeviceWithItsConfiguration) {
  if (std::system("command -v unzip >/dev/null") != 0) GTEST_SKIP() << "unzip is not installed";
  const config::Config config = config::load("u50");
  const std::string fallback = (folder / "it's a device").string();
  std::ofstream(fallback) << "#!/bin/sh\necho \"fallback $*\" > said\n";
  std::ofstream(folder / "chosen") << "#!/bin/sh\necho \"chosen $*\" > said\n";
  for (const char* name : {"it's a device", "chosen"}) fs::permissions(folder / name, fs::perms::owner_all);
  unpack(xclbin::launcher(config, fallback));
  EXPECT_EQ(config::load((folder / "behav_waveform/xsim/heddle.toml").string()), config);
  EXPECT_EQ(shell("env -u HEDDLE_EMULATED_DEVICE ./simulate.sh ' --wdb x'"), 0);
  EXPECT_EQ(content("behav_waveform/xsim/said"), "fallback --config heddle.toml\n");
  EXPECT_EQ(shell("HEDDLE_EMULATED_DEVICE=../../chosen ./simulate.sh"), 0);
  EXPECT_EQ(content("behav_waveform/xsim/said"), "chosen --config heddle.toml\n");
  EXPECT_NE(shell("HEDDLE_EMULATED_DEVICE=/nowhere ./simulate.sh 2> said"), 0);
  EXPECT_NE(content("behav_waveform/xsim/said").find("HEDDLE_EMULATED_DEVICE"), std::string::npos);
}

TEST_F(Zip, PathWithALineBreakIsRefused) { EXPECT_THROW(xclbin::launcher(config::load("sim"), "a\nb"), InputError); }

}  // namespace
}  // namespace heddle::test
