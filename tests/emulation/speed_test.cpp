// How much XRT and the device process add to the RTL's own time. Floors hold on a machine that does little else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/emulation/boards.h"
#include "tests/emulation/case_file.h"

namespace heddle {
namespace {

using namespace std::chrono_literals;

// The number behind the last `label` of a program's output; 0 if it is not there.
double number_after(const std::string& output, const std::string& label) {
  const std::size_t at = output.rfind(label);
  return at == std::string::npos ? 0 : std::atof(output.c_str() + at + label.size());
}

TEST(EmulatedBoardSpeed, CallsAndCopiesAreFast) {
  constexpr double kOverhead = 1.5;  // milliseconds of a call beyond the RTL's own time
  constexpr double kCopies = 500;    // MB/s of 8 MiB
  constexpr int kTries = 3;          // the best one counts: other work only ever makes it slower
  const testing_support::Boards boards("tiny");
  const double rtl = emulation::fastest_in_process(boards.configuration(), 48, 48, 48, 50);
  double overhead = 1e9, to = 0, from = 0;
  for (int i = 0; i < kTries; ++i) {
    const auto child = boards.start({"--runs", "200", "--sync", "8388608"});
    ASSERT_TRUE(child->wait(120s)) << child->output();
    ASSERT_EQ(child->exit_code(), 0) << child->output();
    overhead = std::min(overhead, number_after(child->output(), "median ") - rtl);
    to = std::max(to, number_after(child->output(), "sync to: "));
    from = std::max(from, number_after(child->output(), "sync from: "));
  }
  std::printf("RTL alone %.3f ms, median call %.3f ms more; copies %.0f MB/s to the device, %.0f MB/s back\n", rtl,
              overhead, to, from);
  EXPECT_LT(overhead, kOverhead);
  EXPECT_GT(to, kCopies);
  EXPECT_GT(from, kCopies);
}

}  // namespace
}  // namespace heddle
