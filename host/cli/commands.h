// The subcommands of `heddle`. Each throws heddle::Error for what the user has to mend.
#pragma once

#include <cstdint>
#include <optional>

#include "config/config.h"
#include "host/cli/arguments.h"

namespace heddle::cli {

void run(const TrainArguments& arguments);
void run(const EvalArguments& arguments);
void run(const DevicesArguments& arguments);
void run(const GemmArguments& arguments);
void run(const AsmArguments& arguments);
void run(const DisasmArguments& arguments);
void run(const ConfigArguments& arguments);
void run(const XclbinArguments& arguments);

// The share of the array's MACs that were asked for, over all cycles; nothing where the device counts no cycles.
inline std::optional<double> utilisation(std::uint64_t macs, std::uint64_t cycles, const config::Config& config) {
  if (cycles == 0) return std::nullopt;
  return static_cast<double>(macs) / (static_cast<double>(cycles) * config::kRows * config.cols);
}

}  // namespace heddle::cli
