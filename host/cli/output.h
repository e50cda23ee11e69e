// Standard output: text in the C stream's buffer, and errors that name it. A reader that has gone is such an error too
// (main.cpp ignores the signal).
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace heddle::cli {

// Throws InputError if it cannot be written.
void write_output(std::string_view text);
void flush_output();

template <typename... T>
void print(fmt::format_string<T...> format, T&&... values) {
  write_output(fmt::format(format, std::forward<T>(values)...));
}

}  // namespace heddle::cli
