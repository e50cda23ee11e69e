// The RTL of a core under Verilator, in process, with simulated device memory.
//
// Simulation runs inside `wait`, in the caller's thread. Cycles pass only while a program runs or registers are
// accessed.
#pragma once

#include <memory>

#include "driver/device.h"
#include "driver/verilated/core_simulation.h"

namespace heddle::driver {

// Throws DeviceError that names the configurations with a model if this one has none, or if the model's registers
// do not agree with the configuration.
std::unique_ptr<Device> make_verilated_device(const config::Config& config, const VerilatedOptions& options);

}  // namespace heddle::driver
