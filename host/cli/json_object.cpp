#include "host/cli/json_object.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace heddle::cli {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
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

void JsonObject::print() const { fmt::print("{}\n", text()); }

}  // namespace heddle::cli
