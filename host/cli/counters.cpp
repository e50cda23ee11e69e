#include "host/cli/counters.h"

#include <fmt/format.h>

namespace heddle::cli {

void print_counters(const driver::Counters& counters) {
  fmt::print("{:8}", "");
  for (std::size_t cause = 0; cause < isa::kCounterCount; ++cause)
    fmt::print("{:>16}", isa::to_string(static_cast<isa::Counter>(cause)));
  fmt::print("\n");
  for (std::size_t unit = 0; unit < isa::kUnitCount; ++unit) {
    fmt::print("{:8}", isa::to_string(static_cast<isa::Unit>(unit)));
    for (const std::uint64_t cycles : counters.unit[unit])
      fmt::print("{:>14.1f} %", 100.0 * static_cast<double>(cycles) / static_cast<double>(counters.cycles));
    fmt::print("\n");
  }
}

}  // namespace heddle::cli
