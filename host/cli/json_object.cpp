#include "host/cli/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/cli/output.h"

namespace heddle::cli {
namespace {

// Bytes of the UTF-8 character (RFC 3629) that `text` begins with; 0 if it begins with none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Longer than needed, half of a surrogate pair, or beyond the last character.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
  if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
  return length;
}

// Names of files may be any bytes, JSON is UTF-8: what is none becomes the replacement character.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const char c = text[0];
    if (length == 0)
      result += "\\ufffd";
    else if (c == '"' || c == '\\')
      result += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result + '"';
}

template <typename T, typename F>
std::string list(const std::vector<T>& values, F text) {
  std::string result = "[";
  for (const T& value : values) result += (result.size() > 1 ? "," : "") + text(value);
  return result + "]";
}

}  // namespace

JsonObject& JsonObject::raw(std::string_view key, std::string_view json) {
  members_ += fmt::format("{}{}:{}", members_.empty() ? "" : ",", quoted(key), json);
  return *this;
}

JsonObject& JsonObject::add(std::string_view key, std::string_view text) { return raw(key, quoted(text)); }
JsonObject& JsonObject::add(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
JsonObject& JsonObject::add(std::string_view key, std::uint64_t value) { return raw(key, fmt::format("{}", value)); }
JsonObject& JsonObject::add(std::string_view key, double value) {
  return raw(key, std::isfinite(value) ? fmt::format("{}", value) : "null");
}
JsonObject& JsonObject::add(std::string_view key, const JsonObject& value) { return raw(key, value.text()); }
JsonObject& JsonObject::add(std::string_view key, const std::vector<JsonObject>& values) {
  return raw(key, list(values, [](const JsonObject& value) { return value.text(); }));
}
JsonObject& JsonObject::add(std::string_view key, const std::vector<std::string>& values) {
  return raw(key, list(values, [](const std::string& value) { return quoted(value); }));
}

void JsonObject::print() const { write_output(text() + "\n"); }

}  // namespace heddle::cli
