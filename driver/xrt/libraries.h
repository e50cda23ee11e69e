// Which of XRT's libraries this process runs on.
#pragma once

#include <string>

namespace heddle::driver {

// Paths of the loaded libxrt_*, links followed, commas between: the API first, then what it has loaded so far.
std::string xrt_libraries();

}  // namespace heddle::driver
