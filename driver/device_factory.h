// Opens a device by its name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/device.h"

namespace heddle::driver {

struct DeviceOptions {
  std::optional<unsigned>
      stall_percent;        // verilated: random back-pressure everywhere, 0 to 95; default: the configuration's
  std::uint64_t seed = 1;   // verilated: of the back-pressure
  std::string waves;        // verilated: an FST file to write; empty: none
  bool check_races = true;  // functional: refuse programs whose accesses have no order
};

// "verilated": the RTL in simulation, cycle by cycle. "functional": the bit-exact model.
// Throws InputError for an unknown name, DeviceError if the device cannot run this configuration.
std::unique_ptr<Device> open_device(const std::string& name, const config::Config& config,
                                    const DeviceOptions& options = {});

struct DeviceListing {
  std::string name;
  std::string kind;  // "simulation" or "model"
  bool usable = false;
  std::string reason;  // why, or why not
};

// All devices of this build, for this configuration.
std::vector<DeviceListing> list_devices(const config::Config& config);

}  // namespace heddle::driver
