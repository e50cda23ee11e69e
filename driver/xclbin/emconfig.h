// emconfig.json: which boards XRT's emulation pretends to have.
#pragma once

#include <cstdint>
#include <string>

#include "config/config.h"

namespace heddle::xclbin {

inline constexpr std::uint32_t kMostBoards = 64;

// The text of emconfig.json for `boards` boards of a configuration. Throws InputError unless 1 <= boards <=
// kMostBoards.
std::string emconfig(const config::Config& config, std::uint32_t boards);

}  // namespace heddle::xclbin
