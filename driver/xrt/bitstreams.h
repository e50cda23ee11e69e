// Where the xclbin of a configuration is, when the user names none.
//
// Folders, first to last: $HEDDLE_BITSTREAMS; bitstreams/ beside this program (a build); ../share/heddle/bitstreams
// beside its folder (an installation). In them, emulation/NAME.xclbin is for the emulated board, cards/ holds those for
// cards.
#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"

namespace heddle::driver {

// Throws DeviceError that says where it looked and how to make one.
std::filesystem::path find_emulated_xclbin(const config::Config& config);

// The one that fits the configuration and the platform of the card. Throws DeviceError that says why each one it saw
// does not fit.
std::filesystem::path find_card_xclbin(const config::Config& config, const std::string& platform);

}  // namespace heddle::driver
