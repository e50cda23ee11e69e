#include "host/cli/counters.h"

#include "host/cli/output.h"

namespace heddle::cli {

void print_counters(const driver::Counters& counters) {
  print("{:8}", "");
  for (std::size_t cause = 0; cause < isa::kCounterCount; ++cause)
    print("{:>16}", isa::to_string(static_cast<isa::Counter>(cause)));
  print("\n");
  for (std::size_t unit = 0; unit < isa::kUnitCount; ++unit) {
    print("{:8}", isa::to_string(static_cast<isa::Unit>(unit)));
    for (const std::uint64_t cycles : counters.unit[unit])
      print("{:>14.1f} %", 100.0 * static_cast<double>(cycles) / static_cast<double>(counters.cycles));
    print("\n");
  }
}

}  // namespace heddle::cli
