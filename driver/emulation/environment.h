// Makes XRT in this process find emulated boards instead of cards.
//
// XRT reads its environment once, when the process first opens a device, and never again: so one of these per process,
// made before that and kept as long as devices are open.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "driver/emulation/private_directory.h"

namespace heddle::emulation {

// Where the parts of the emulation are. Empty: from the variable, else beside this program as it was built or
// installed.
struct Parts {
  std::filesystem::path device_program;  // $HEDDLE_EMULATED_DEVICE
  std::filesystem::path xrt_root;        // $HEDDLE_XRT_ROOT: what XILINX_XRT is to be
};

// Why emulated boards cannot be had here; empty if they can.
std::string missing_part(const Parts& parts = {});

class Environment {
 public:
  // For `boards` boards, indices 0 to boards - 1. Threads must not read the environment meanwhile. Throws DeviceError
  // if a part is missing, InputError for a number of boards that cannot be.
  Environment(const config::Config& config, unsigned boards, const Parts& parts = {});
  // Puts the variables back and removes files; device processes end with their devices.
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const std::string& name, const std::string& value);

  PrivateDirectory directory_;
  std::map<std::string, std::optional<std::string>> before_;  // values of the variables that were changed
};

}  // namespace heddle::emulation
