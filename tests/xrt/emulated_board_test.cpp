// What a board behind XRT refuses, and several boards and cores at once. What every device promises is in tests/driver.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <thread>

#include "common/files.h"
#include "driver/device_factory.h"
#include "driver/xclbin/image.h"
#include "driver/xclbin/launcher.h"
#include "tests/driver/subjects.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

class EmulatedBoard : public testing::Test {
 protected:
  EmulatedBoard() : folder(fs::temp_directory_path() / ("heddle_boards_" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~EmulatedBoard() override { fs::remove_all(folder); }

  std::unique_ptr<driver::Device> open(const config::Config& config, driver::DeviceOptions options = {}) {
    return driver::open_device("xrt", config, options);
  }
  std::string refusal(const config::Config& config, const driver::DeviceOptions& options) {
    try {
      open(config, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was refused";
  }
  driver::DeviceOptions with_xclbin(const xclbin::Bytes& bytes) {
    driver::DeviceOptions options;
    options.xclbin = (folder / "a.xclbin").string();
    write_atomically(options.xclbin, std::span<const std::byte>(bytes));
    return options;
  }

  fs::path folder;
};

// Copies through the core; false if a byte is wrong.
bool copies(driver::Device& device, std::uint64_t seed) {
  const Bytes data = random_bytes(64 * driver::kLineBytes, seed);
  driver::Launch launch;
  launch.slots[0] = device.allocate(data.size(), 0);
  launch.slots[1] = device.allocate(data.size(), 1);
  device.write(*launch.slots[0], 0, data);
  const Words words = copy_program(3, 64);
  launch.program = device.allocate(words.size() * 16, 0);
  device.write(*launch.program, 0, std::as_bytes(std::span(words)));
  launch.words = words.size();
  return device.run(launch).error == isa::Error::none && contents(device, launch.slots[1]) == data;
}

// For threads: what is thrown is printed and counts as wrong.
template <typename Open>
bool five_copies(Open&& open_device, std::uint64_t seed) {
  try {
    driver::Device& device = open_device();
    for (std::uint64_t i = 0; i < 5; ++i)
      if (!copies(device, seed + i)) return false;
    return true;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return false;
  }
}

TEST_F(EmulatedBoard, SaysWhatItIs) {
  const auto device = open(config::load("tiny"));
  EXPECT_EQ(device->info().name, "xrt");
  std::string text = device->info().detail;
  for (const auto& [name, value] : device->info().parts) text += "\n" + name + ": " + value;
  for (const char* part : {"emulated board 0", "heddle:emulation:board", "tiny.xclbin", "uuid", "libxrt_coreutil.so.2.",
                           "libxrt_hwemu.so.2."})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(EmulatedBoard, XclbinOfAnotherConfigurationIsRefusedAndTheDifferenceNamed) {
  const std::string text = refusal(config::load("tiny"), with_xclbin(xclbin::make_emulated(config::load("sim"), "")));
  EXPECT_NE(text.find("columns: the xclbin has 32, the configuration 8"), std::string::npos) << text;
  EXPECT_NE(text.find("a.xclbin"), std::string::npos) << text;
}

TEST_F(EmulatedBoard, DamagedXclbinNeverReachesXrt) {
  xclbin::Bytes file = xclbin::make_emulated(config::load("tiny"), "");
  file[700] ^= std::byte{4};
  EXPECT_NE(refusal(config::load("tiny"), with_xclbin(file)).find("damaged"), std::string::npos);
  file.resize(file.size() / 2);
  EXPECT_NE(refusal(config::load("tiny"), with_xclbin(file)).find("bytes"), std::string::npos);
  driver::DeviceOptions nowhere;
  nowhere.xclbin = (folder / "none.xclbin").string();
  EXPECT_NE(refusal(config::load("tiny"), nowhere).find("none.xclbin"), std::string::npos);
}

TEST_F(EmulatedBoard, XclbinThatLiesIsFoundOutByTheRegisters) {
  config::Config lie = config::load("tiny");
  lie.acc_rows *= 2;
  EXPECT_NE(refusal(lie, with_xclbin(xclbin::make_emulated(lie, ""))).find("loading"), std::string::npos)
      << "the device process has no such RTL";
  xclbin::Container file = xclbin::decode(xclbin::make_emulated(lie, ""), "it");
  ASSERT_EQ(file.sections[0].kind, xclbin::SectionKind::bitstream);
  file.sections[0].data = xclbin::launcher(config::load("tiny"), "");
  const std::string text = refusal(lie, with_xclbin(xclbin::encode(file)));
  EXPECT_NE(text.find("register ACC_ROWS"), std::string::npos) << text;
  EXPECT_TRUE(copies(*open(config::load("tiny")), 1)) << "and the board is free again";
}

TEST_F(EmulatedBoard, CoreOrBoardThatIsNotThereIsRefused) {
  driver::DeviceOptions options;
  options.core = 1;
  EXPECT_NE(refusal(config::load("tiny"), options).find("no core 1"), std::string::npos);
  options.core = 0;
  options.board = "emulated:99";
  EXPECT_NE(refusal(config::load("tiny"), options).find("emulated:0 to emulated:15"), std::string::npos);
  options.board = "0";
  EXPECT_NE(refusal(config::load("tiny"), options).find("emulated boards"), std::string::npos)
      << "a process has either";
}

TEST_F(EmulatedBoard, CoresOfABoardWorkAtOnceAndHaveOneUserEach) {
  config::Config config = config::load("tiny");
  config.cores = 3;
  driver::DeviceOptions options = with_xclbin(xclbin::make_emulated(config, ""));
  options.board = "emulated:2";
  std::vector<std::unique_ptr<driver::Device>> cores;
  for (options.core = 0; options.core < 3; ++options.core) cores.push_back(open(config, options));
  options.core = 1;
  EXPECT_NE(refusal(config, options).find("core 1 of emulated board 2 is in use"), std::string::npos);
  std::vector<std::thread> threads;
  std::array<bool, 3> right{};
  for (unsigned c = 0; c < 3; ++c)
    threads.emplace_back([&, c] { right[c] = five_copies([&]() -> driver::Device& { return *cores[c]; }, 10 * c); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, (std::array{true, true, true}));
  cores[1].reset();
  EXPECT_TRUE(copies(*open(config, options), 7)) << "a core that was given back";
  EXPECT_NE(refusal(config::load("tiny"), options).find("in use with"), std::string::npos)
      << "one xclbin for all cores of a board";
}

TEST_F(EmulatedBoard, BoardsTrainAtOnceInTheirOwnMemory) {
  std::vector<std::thread> threads;
  std::array<bool, 4> right{};
  for (unsigned b = 0; b < 4; ++b)
    threads.emplace_back([&, b] {
      std::unique_ptr<driver::Device> device;
      right[b] = five_copies([&]() -> driver::Device& { return *(device = open(config::load("tiny"))); }, 100 * b);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, (std::array{true, true, true, true}));
}

TEST_F(EmulatedBoard, MemoryThatIsFullIsAnErrorWithItsAccount) {
  const auto device = open(config::load("tiny"));
  const auto some = device->allocate(std::size_t{3} << 20, 1);
  try {
    device->allocate(std::size_t{5} << 30, 1);  // a bank has 4 GiB
    FAIL() << "5 GiB of 4";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("DDR[1]: 3 MiB of 4096 MiB"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(copies(*device, 3));
}

TEST_F(EmulatedBoard, BuffersOfPortsLieInTheirBanks) {
  const auto device = open(config::load("tiny"));
  driver::Launch launch;
  launch.program = device->allocate(64, 1);  // the program's port reaches the memory of port 0
  launch.words = 1;
  EXPECT_THROW(device->start(launch), DeviceError);
}

TEST_F(EmulatedBoard, OtherBuffersAreWrittenWhileAProgramRuns) {
  const auto device = open(config::load("tiny"));
  driver::Launch launch;
  launch.slots[0] = device->allocate(4000 * driver::kLineBytes, 0);
  Words words;
  for (int i = 0; i < 10; ++i) words.push_back(isa::encode(load(0, 0, 0, 4000)));
  words.push_back(isa::encode(isa::Halt{}));
  launch.program = device->allocate(words.size() * 16, 0);
  device->write(*launch.program, 0, std::as_bytes(std::span(words)));
  launch.words = words.size();
  const auto next = device->allocate(1 << 20, 1);
  const Bytes data = random_bytes(1 << 20, 4);
  device->start(launch);
  device->write(*next, 0, data);
  EXPECT_EQ(contents(*device, next), data);
  EXPECT_EQ(device->wait(std::chrono::minutes(1)).error, isa::Error::none);
}

TEST_F(EmulatedBoard, UnalignedWritesKeepWhatAProgramWroteBesideThem) {
  const auto device = open(config::load("tiny"));
  driver::Launch launch;
  Bytes data = random_bytes(4 * driver::kLineBytes, 5);
  launch.slots[0] = device->allocate(data.size(), 0);
  launch.slots[1] = device->allocate(data.size(), 1);
  device->write(*launch.slots[0], 0, data);
  const Words words = copy_program(0, 4);
  launch.program = device->allocate(words.size() * 16, 0);
  device->write(*launch.program, 0, std::as_bytes(std::span(words)));
  launch.words = words.size();
  ASSERT_EQ(device->run(launch).error, isa::Error::none);
  const Bytes piece = random_bytes(100, 6);  // from the middle of a line to the middle of another
  device->write(*launch.slots[1], 30, piece);
  std::copy(piece.begin(), piece.end(), data.begin() + 30);
  EXPECT_EQ(contents(*device, launch.slots[1]), data);
}

}  // namespace
}  // namespace heddle::test
