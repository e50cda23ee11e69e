// The RTL of a core under Verilator, in process, with simulated device memory.
//
// Simulation runs inside `wait`, in the caller's thread. Cycles pass only while a program runs or registers are
// accessed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "driver/device.h"

namespace heddle::driver {

struct VerilatedOptions {
  unsigned stall_percent = 0;  // on AXI channels and on all streams inside; at most 95
  std::uint64_t seed = 1;
  std::string waves;  // path of an FST file; empty: none
};

// Throws DeviceError that names the configurations with a model if this one has none, or if the model's registers
// do not agree with the configuration.
std::unique_ptr<Device> make_verilated_device(const config::Config& config, const VerilatedOptions& options);

// Empty if this build has a model for the configuration; else why not and how to build one.
std::string missing_model(const config::Config& config);

}  // namespace heddle::driver
