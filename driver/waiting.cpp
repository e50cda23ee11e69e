#include "driver/waiting.h"

#include <array>

#include "rtl/isa/isa.h"

namespace heddle::driver {
namespace {

constexpr std::array<const char*, isa::kUnitCount> kUnitNames{"load", "wload", "mxu", "vector", "store"};

std::string missing_tokens(std::uint32_t bits) {
  std::string text;
  for (unsigned u = 0; u < isa::kUnitCount; ++u) {
    if (bits >> u & 1) text += std::string(text.empty() ? "" : " and ") + kUnitNames[u];
  }
  return text.empty() ? "nobody" : text;
}

}  // namespace

std::string describe_waiting(std::uint32_t waiting, std::uint32_t waiting_for) {
  std::string text;
  for (unsigned u = 0; u < isa::kUnitCount; ++u) {
    const std::uint32_t state = waiting >> (3 * u) & 7;
    if (state == 0) continue;
    text += kUnitNames[u];
    switch (state) {
      case 1:
        text += " is busy\n";
        break;
      case 2:
        text += " waits for memory\n";
        break;
      case 3:
        text += " waits for the weight FIFO\n";
        break;
      case 4:
        text += " waits for a token of " + missing_tokens(waiting_for >> (5 * u) & 31) + "\n";
        break;
      default:
        text += " is in an unknown state " + std::to_string(state) + "\n";
    }
  }
  return text.empty() ? "all units are idle\n" : text;
}

}  // namespace heddle::driver
