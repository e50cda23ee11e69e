// Opening devices: names, options, and what is missing.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/driver/subjects.h"

namespace heddle::test {
namespace {

bool usable(const std::string& device, const config::Config& config) {
  for (const auto& listing : driver::list_devices(config))
    if (listing.name == device) return listing.usable;
  return false;
}

TEST(DeviceFactory, UnknownNameSaysWhichThereAre) {
  try {
    driver::open_device("tpu", config::load("sim"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("functional"), std::string::npos) << error.what();
  }
}

TEST(DeviceFactory, ConfigurationWithoutModelSaysHowToBuildOne) {
  config::Config config = config::load("sim");
  config.name = "odd";
  EXPECT_FALSE(usable("verilated", config));
  EXPECT_TRUE(usable("functional", config));
  try {
    driver::open_device("verilated", config);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("cmake -DHEDDLE_"), std::string::npos) << error.what();
  }
}

TEST(DeviceFactory, ConfigurationThatDoesNotMatchItsModelIsRefused) {
  config::Config config = config::load("tiny");
  if (!usable("verilated", config)) GTEST_SKIP() << "no RTL model of tiny in this build";
  config.acc_rows *= 2;
  EXPECT_THROW(driver::open_device("verilated", config), DeviceError);
}

TEST(DeviceFactory, StallsBeyondReasonAreRefused) {
  const config::Config config = config::load("tiny");
  if (!usable("verilated", config)) GTEST_SKIP() << "no RTL model of tiny in this build";
  driver::DeviceOptions options;
  options.stall_percent = 100;
  EXPECT_THROW(driver::open_device("verilated", config, options), InputError);
}

TEST(DeviceFactory, StallsCostCyclesAndRepeatWithTheirSeed) {
  const Subject subject{"verilated", "tiny"};
  if (!usable("verilated", config::load("tiny"))) GTEST_SKIP() << "no RTL model of tiny in this build";
  auto cycles = [&](unsigned percent) {
    Bench bench({subject.device, subject.configuration, percent});
    bench.buffer(0, 500);
    bench.buffer(1, 500);
    return bench.run(copy_program(0, 500)).counters.cycles;
  };
  EXPECT_GT(cycles(50), cycles(0) * 3 / 2);
  EXPECT_EQ(cycles(50), cycles(50));
}

TEST(DeviceFactory, WavesAreWrittenOnDemand) {
  if (!usable("verilated", config::load("tiny"))) GTEST_SKIP() << "no RTL model of tiny in this build";
  const auto path = std::filesystem::temp_directory_path() / ("heddle_waves_" + std::to_string(::getpid()) + ".fst");
  driver::DeviceOptions options;
  options.waves = path.string();
  {
    const auto device = driver::open_device("verilated", config::load("tiny"), options);
    driver::Launch launch;
    launch.program = device->allocate(16, 0);
    const Words words = program({isa::Halt{}});
    device->write(*launch.program, 0, std::as_bytes(std::span(words)));
    launch.words = 1;
    device->run(launch);
  }
  EXPECT_GT(std::filesystem::file_size(path), 1000u);
  std::filesystem::remove(path);
  options.waves = "/nonexistent/folder/waves.fst";
  EXPECT_THROW(driver::open_device("verilated", config::load("tiny"), options), DeviceError);
}

}  // namespace
}  // namespace heddle::test
