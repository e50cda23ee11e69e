// Which boards XRT has here, and why one cannot be used.
//
// XRT ends the process or waits for minutes when something is missing, so it is asked in a child process with a limit.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "driver/device_factory.h"

namespace heddle::driver {

// One line for emulated boards, one for each card, or one that says why there are none.
std::vector<DeviceListing> probe_xrt(const config::Config& config);

// What a question to XRT ended in.
struct ProbeAnswer {
  bool answered = false;
  std::string text;  // the answer, or what went wrong
};

// Calls `question` in a child process and gives its text. An exception, an exit, a crash, and a child that is still
// there after `limit` (it is killed) are no answer.
ProbeAnswer ask_in_child(const std::function<std::string()>& question, std::chrono::milliseconds limit);

}  // namespace heddle::driver
