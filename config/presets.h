// The preset files, embedded at build time.
#pragma once

#include <span>
#include <string_view>

namespace heddle::config {

struct Preset {
  std::string_view name;
  std::string_view text;
};

std::span<const Preset> embedded_presets();

}  // namespace heddle::config
