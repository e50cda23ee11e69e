// What an xclbin says about the accelerator in it: section USER_METADATA, a JSON object that XRT passes over. Card
// owners add the same file to what the linker made, so that emulated boards and cards are checked in the same way.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "config/config.h"

namespace heddle::xclbin {

struct Identity {
  std::uint32_t interface_version = 0;
  std::uint32_t isa_version = 0;
  std::uint32_t rows = 0;  // of the array
  config::Config config;
  bool operator==(const Identity&) const = default;
};

Identity identity_of(const config::Config& config);

std::string to_json(const Identity& identity);

// Throws InputError that names the key which is missing or wrong.
Identity read_identity(std::span<const std::byte> json);

}  // namespace heddle::xclbin
