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
  std::string board;        // xrt: emulated:N, a card's index or address; empty: the first free emulated board
  unsigned core = 0;        // xrt: of the board, from 0
  std::string xclbin;       // xrt: path; empty: the configuration's among the bitstreams
};

// "xrt": a core on a card or on an emulated board, through the real XRT. "verilated": the RTL in simulation, cycle by
// cycle, in this process. "functional": the bit-exact model.
// Throws InputError for an unknown name, DeviceError if the device cannot run this configuration.
std::unique_ptr<Device> open_device(const std::string& name, const config::Config& config,
                                    const DeviceOptions& options = {});

struct DeviceListing {
  std::string name;
  std::string kind;  // "card", "emulation", "simulation" or "model"
  bool usable = false;
  std::string reason;  // why, or why not
  std::string board;   // xrt: what DeviceOptions::board takes
};

// All devices of this build, for this configuration.
std::vector<DeviceListing> list_devices(const config::Config& config);

}  // namespace heddle::driver
