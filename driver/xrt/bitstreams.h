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

// Whether a shell, as a card names it, is on the board that an xclbin's platform names: the same vendor and board.
// Their versions are written in too many ways to compare; XRT compares their UUIDs when it loads the file.
bool same_board(const std::string& shell, const std::string& platform);

// The one that fits the configuration and the board of the card's shell. Throws DeviceError that says why each one it
// saw does not fit.
std::filesystem::path find_card_xclbin(const config::Config& config, const std::string& shell);

}  // namespace heddle::driver
