// The BITSTREAM of an emulated board: what XRT unpacks and starts in place of the vendor's simulator.
//
// XRT unpacks the archive into a folder of its own, enters behav_waveform/xsim and executes simulate.sh there. The
// script starts the device process with the configuration that lies beside it:
//     heddle-emulated-device --config heddle.toml
// The program is $HEDDLE_EMULATED_DEVICE if that is set (the driver sets it), else the path that was given when the
// xclbin was made, else what the search path has.
#pragma once

#include <string>

#include "config/config.h"
#include "driver/xclbin/bytes.h"

namespace heddle::xclbin {

inline constexpr const char* kDeviceProgram = "heddle-emulated-device";
inline constexpr const char* kDeviceVariable = "HEDDLE_EMULATED_DEVICE";

Bytes launcher(const config::Config& config, const std::string& device_program);

}  // namespace heddle::xclbin
