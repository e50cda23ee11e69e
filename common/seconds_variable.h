// Time limits that users set in the environment.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string>

#include "common/error.h"

namespace heddle {

// Whole seconds, 1 to 86,400, from variable `name`; `fallback` where it is not set or empty. Throws InputError.
inline std::chrono::seconds seconds_variable(const char* name, std::chrono::seconds fallback) {
  constexpr int kMost = 86'400;
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return fallback;
  const std::string text = value;
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || seconds < 1 || seconds > kMost)
    throw InputError("variable " + std::string(name) + " is \"" + text + "\"; set it to whole seconds, 1 to " +
                     std::to_string(kMost));
  return std::chrono::seconds(seconds);
}

}  // namespace heddle
