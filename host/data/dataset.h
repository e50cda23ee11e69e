// Samples in memory, in the form in which they go to a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

// `count` samples of `features` bf16 each, row-major, and a class from 0 to classes - 1 for each.
struct Dataset {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t features = 0;
  std::uint32_t classes = 0;
  std::vector<std::uint16_t> values;
  std::vector<std::uint32_t> labels;
};

}  // namespace heddle
