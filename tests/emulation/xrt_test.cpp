// Real XRT on emulated boards: an ordinary program, several boards, faults, deaths, and what is left afterwards.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <random>
#include <regex>
#include <thread>

#include "driver/device_factory.h"
#include "tests/emulation/boards.h"

namespace heddle {
namespace {

using namespace std::chrono_literals;
using testing_support::Boards;
using testing_support::Child;
using testing_support::Variables;

constexpr const char* kDevice = "heddle-emulated";  // as long as the system keeps names of processes
constexpr auto kLimit = 60s;                        // for one program; seconds on a machine that does nothing else

// Everything that has to hold after a program of XRT, however it ended.
void expect_clean(const Child& child, const Boards& boards) {
  EXPECT_TRUE(child.others_end(5s)) << "device processes outlive their host\n" << child.output();
  EXPECT_EQ(boards.leftovers(), "") << child.output();
}

void expect_pass(Child& child, const Boards& boards) {
  ASSERT_TRUE(child.wait(kLimit)) << child.output();
  EXPECT_EQ(child.exit_code(), 0) << child.output();
  EXPECT_NE(child.output().find("PASS"), std::string::npos) << child.output();
  expect_clean(child, boards);
}

// The number behind the last `label` of a program's output; -1 if it is not there.
double number_after(const std::string& output, const std::string& label) {
  const std::size_t at = output.rfind(label);
  return at == std::string::npos ? -1 : std::atof(output.c_str() + at + label.size());
}

double first_number_after(const std::string& output, const std::string& label) {
  const std::size_t at = output.find(label);
  return at == std::string::npos ? -1 : std::atof(output.c_str() + at + label.size());
}

// ---------------------------------------------------------------------------------------------------- programs
TEST(EmulatedBoard, RunsAProductOfAnOrdinaryProgram) {
  const Boards boards("tiny");
  const auto child = boards.start({"--runs", "5"});
  expect_pass(*child, boards);
}

TEST(EmulatedBoard, RunsTheDefaultConfiguration) {
  for (const auto& device : driver::list_devices(config::load("sim")))
    if (device.name == "verilated" && !device.usable) GTEST_SKIP() << device.reason;
  const Boards boards("sim");
  const auto child = boards.start();
  expect_pass(*child, boards);
}

TEST(EmulatedBoard, NeedsNoUserAndDoesNotMindStrangeOnes) {
  const Boards boards("tiny");
  for (const char* user : {"", "some one", "../../etc"}) {
    const auto child = boards.start({}, {{"USER", user}});
    expect_pass(*child, boards);
  }
}

TEST(EmulatedBoard, RunsUnderTheShimsOwnDefectsByConfigurationAlone) {
  const Boards boards("tiny");
  // The shim sleeps ten times the limit before it looks for the first time.
  const auto child = boards.start({"--limit", "1000"}, {{"HEDDLE_XRT_KEEP_DEFECTS", "all"}});
  ASSERT_TRUE(child->wait(kLimit)) << child->output();
  EXPECT_NE(child->output().find("PASS"), std::string::npos) << child->output();
  EXPECT_TRUE(child->others_end(10s));
}

TEST(EmulatedBoard, RepairsCanBeLeftOutOneByOne) {
  const Boards boards("tiny");
  for (const char* name : {"posted_writes", "scheduler_wakeup", "permissions", "shutdown", "group_kill"}) {
    const auto child = boards.start({}, {{"HEDDLE_XRT_KEEP_DEFECTS", name}});
    expect_pass(*child, boards);
  }
}

TEST(EmulatedBoard, RefusesAnUnknownRepairByName) {
  const Boards boards("tiny");
  const auto child = boards.start({}, {{"HEDDLE_XRT_KEEP_DEFECTS", "no_such_repair"}});
  child->wait(kLimit);
  EXPECT_NE(child->output().find("names \"no_such_repair\"; there are all, message_buffer"), std::string::npos)
      << child->output();
}

TEST(EmulatedBoard, CopiesLargeBuffersBothWays) {
  const Boards boards("tiny");
  for (const char* size : {"1", "4096", "65537", "9000001"}) {  // a packet has 65536
    const auto child = boards.start({"--sync", size});
    expect_pass(*child, boards);
  }
}

// --------------------------------------------------------------------------------------------- several boards
TEST(EmulatedBoards, FourLoadAndRunAtOnceInOneProcess) {
  const Boards boards("tiny", 4);
  const auto child = boards.start({"--boards", "4", "--runs", "5", "--cycles", "2"});
  expect_pass(*child, boards);
}

TEST(EmulatedBoards, FourProcessesRunAtOnce) {
  const Boards boards("tiny", 4);
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(boards.start({"--device", std::to_string(i), "--runs", "5", "--cycles", "2"}));
  }
  for (const auto& child : children) {
    ASSERT_TRUE(child->wait(kLimit)) << child->output();
    EXPECT_EQ(child->exit_code(), 0) << child->output();
  }
  for (const auto& child : children) expect_clean(*child, boards);
}

TEST(EmulatedBoards, TwoHundredCyclesOfOpenAndCloseLeakNothing) {
  const Boards boards("tiny");
  const auto child = boards.start({"--cycles", "200"});
  ASSERT_TRUE(child->wait(300s)) << child->output();
  ASSERT_EQ(child->exit_code(), 0) << child->output();
  const std::string& output = child->output();
  EXPECT_EQ(first_number_after(output, "descriptors "), number_after(output, "descriptors ")) << output;
  // XRT's own library keeps a thread for each address that a device object ever had.
  EXPECT_LE(number_after(output, "threads ") - first_number_after(output, "threads "), 180) << output;
  // 180 cycles: what a cycle may keep is below 16 KiB.
  EXPECT_LT(number_after(output, "memory ") - first_number_after(output, "memory "), 180 * 16) << output;
  expect_clean(*child, boards);
}

// ------------------------------------------------------------------------------------------------------ faults
struct FaultCase {
  const char* faults;
  const char* said;  // by program or library
  int exit_code;
};

class Fault : public testing::TestWithParam<FaultCase> {};

TEST_P(Fault, EndsInANamedErrorAndTheNextProgramRuns) {
  const Boards boards("tiny");
  const auto child = boards.start({"--runs", "4", "--limit", "1000"}, {{"HEDDLE_EMULATION_FAULTS", GetParam().faults},
                                                                       {"HEDDLE_EMULATION_REPLY_LIMIT", "3"}});
  ASSERT_TRUE(child->wait(kLimit)) << child->output();
  EXPECT_EQ(child->exit_code(), GetParam().exit_code) << child->output();
  EXPECT_NE(child->output().find(GetParam().said), std::string::npos) << child->output();
  expect_clean(*child, boards);

  const auto next = boards.start();
  expect_pass(*next, boards);
}

INSTANTIATE_TEST_SUITE_P(EmulatedBoard, Fault,
                         testing::Values(FaultCase{"read_error", "differs from byte", 1},
                                         FaultCase{"write_error", "differs from byte", 1},
                                         FaultCase{"fetch_error", "differs from byte", 1},
                                         FaultCase{"read_error@2", "PASS", 0},  // later runs repair the result
                                         FaultCase{"stuck_kernel", "did not complete within 1000 ms", 1},
                                         FaultCase{"stuck_kernel@3", "did not complete within 1000 ms", 1},
                                         FaultCase{"lost_completion@2", "did not complete within 1000 ms", 1},
                                         FaultCase{"crash", "was ended by signal 9", 1},
                                         FaultCase{"crash@3", "was ended by signal 9", 1},
                                         FaultCase{"silent@2", "gave no answer to call 11 within 3 s", 1},
                                         FaultCase{"slow_answers=3", "PASS", 0},
                                         FaultCase{"no_such_fault", "there is no such fault; use read_error", 1}),
                         [](const auto& info) { return "Number" + std::to_string(info.index); });

// ------------------------------------------------------------------------------------------------------ deaths
TEST(EmulatedBoard, KilledDevicesEndTheirHostWithAnError) {
  const Boards boards("tiny");
  constexpr unsigned kSeed = 5;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 12; ++i) {
    const auto child = boards.start({"--runs", "1000000"});
    const int delay = static_cast<int>(random() % 400);
    while (child->others(kDevice).empty()) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    for (pid_t device : child->others(kDevice)) kill(device, SIGKILL);
    ASSERT_TRUE(child->wait(kLimit)) << "seed " << kSeed << ", round " << i << ", " << delay << " ms\n"
                                     << child->output();
    EXPECT_EQ(child->exit_code(), 1) << child->output();
    EXPECT_NE(child->output().find("FAIL: board 0: the emulated board"), std::string::npos) << child->output();
    expect_clean(*child, boards);
  }
}

TEST(EmulatedBoard, KilledHostsLeaveNoProcessAndTheNextStartCleansUp) {
  const Boards boards("tiny");
  constexpr unsigned kSeed = 6;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 12; ++i) {
    const auto child = boards.start({"--runs", "1000000"});
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 500));
    child->kill_now();
    child->wait(kLimit);
    EXPECT_TRUE(child->others_end(5s)) << "seed " << kSeed << ", round " << i;
  }
  const auto next = boards.start();
  expect_pass(*next, boards);
}

TEST(EmulatedBoard, CtrlCEndsHostAndDevice) {
  const Boards boards("tiny");
  const auto child = boards.start({"--runs", "1000000"});
  while (child->others().empty()) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(200ms);
  kill(-child->process(), SIGINT);  // as the terminal does: to the whole group
  ASSERT_TRUE(child->wait(kLimit));
  EXPECT_EQ(child->exit_code(), 128 + SIGINT);
  EXPECT_TRUE(child->others_end(5s));
}

}  // namespace
}  // namespace heddle
