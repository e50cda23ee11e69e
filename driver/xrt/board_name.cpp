#include "driver/xrt/board_name.h"

#include <charconv>
#include <regex>

#include "common/error.h"
#include "driver/xrt/xrt_device.h"

namespace heddle::driver {
namespace {

std::optional<unsigned> index_of(const std::string& text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string BoardName::text() const {
  const std::string kind = emulated ? "emulated board" : "card";
  if (!bdf.empty()) return kind + " " + bdf;
  return kind + (index ? " " + std::to_string(*index) : "");
}

BoardName parse_board(const std::string& text) {
  const std::string prefix = "emulated:";
  if (text.empty() || text == "emulated") return {};
  if (text.starts_with(prefix)) {
    const auto index = index_of(text.substr(prefix.size()));
    if (index && *index < kEmulatedBoards) return {true, index, {}};
    throw InputError("there is no board \"" + text +
                     "\"; emulated boards are emulated:0 to emulated:" + std::to_string(kEmulatedBoards - 1));
  }
  if (const auto index = index_of(text)) return {false, index, {}};
  static const std::regex address("([0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-7]");
  if (std::regex_match(text, address)) return {false, std::nullopt, text};
  throw InputError("there is no board \"" + text +
                   "\"; use emulated:N, a card's index, or its address such as 0000:65:00.1");
}

}  // namespace heddle::driver
