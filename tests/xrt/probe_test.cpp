// Questions to XRT that never come back, in a child process.
#include "driver/xrt/probe.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

namespace heddle::test {
namespace {

using driver::ask_in_child;
using std::chrono::milliseconds;

TEST(Probe, GivesTheAnswer) {
  const std::string large(300000, 'x');  // more than a pipe holds
  const auto answer = ask_in_child([&] { return large; }, std::chrono::seconds(20));
  EXPECT_TRUE(answer.answered);
  EXPECT_EQ(answer.text, large);
  EXPECT_TRUE(ask_in_child([] { return std::string(); }, std::chrono::seconds(20)).answered)
      << "an empty answer is one";
}

TEST(Probe, SurvivesWhatXrtDoes) {
  const auto thrown =
      ask_in_child([]() -> std::string { throw std::runtime_error("XILINX_XRT not set"); }, std::chrono::seconds(20));
  EXPECT_FALSE(thrown.answered);
  EXPECT_EQ(thrown.text, "XILINX_XRT not set");
  const auto exited = ask_in_child([]() -> std::string { ::_exit(3); }, std::chrono::seconds(20));
  EXPECT_FALSE(exited.answered);
  EXPECT_NE(exited.text.find("exit code 3"), std::string::npos) << exited.text;
  const auto crashed =
      ask_in_child([]() -> std::string { ::signal(SIGABRT, SIG_DFL), ::abort(); }, std::chrono::seconds(20));
  EXPECT_FALSE(crashed.answered);
  EXPECT_NE(crashed.text.find("crashed"), std::string::npos) << crashed.text;
  const auto group = ask_in_child(
      []() -> std::string {
        ::kill(0, SIGKILL), ::pause();
        return "";
      },
      std::chrono::seconds(20));
  EXPECT_FALSE(group.answered) << "and this process is still there";
}

TEST(Probe, EndsAQuestionThatHangs) {
  const auto start = std::chrono::steady_clock::now();
  const auto answer = ask_in_child(
      []() -> std::string {
        for (;;) ::pause();
      },
      milliseconds(300));
  EXPECT_FALSE(answer.answered);
  EXPECT_NE(answer.text.find("no answer"), std::string::npos) << answer.text;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Probe, SaysWhyThereIsNoXclbin) {
  config::Config config = config::load("tiny");
  config.name = "nobody";
  bool found = false;
  for (const auto& listing : driver::probe_xrt(config)) {
    if (listing.kind != "emulation") continue;
    found = true;
    EXPECT_FALSE(listing.usable);
    EXPECT_NE(listing.reason.find("emulation/nobody.xclbin"), std::string::npos) << listing.reason;
    EXPECT_NE(listing.reason.find("heddle xclbin make"), std::string::npos) << listing.reason;
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace heddle::test
