// A JSON object, written key by key in the order of the calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view text);
  JsonObject& add(std::string_view key, const char* text) { return add(key, std::string_view(text)); }
  JsonObject& add(std::string_view key, bool value);
  JsonObject& add(std::string_view key, std::uint64_t value);
  JsonObject& add(std::string_view key, std::uint32_t value) { return add(key, std::uint64_t{value}); }
  JsonObject& add(std::string_view key, double value);  // null unless finite
  JsonObject& add(std::string_view key, const JsonObject& value);
  JsonObject& add(std::string_view key, const std::vector<JsonObject>& values);
  JsonObject& add(std::string_view key, const std::vector<std::string>& values);
  // null when there is no value.
  template <typename T>
  JsonObject& add(std::string_view key, const std::optional<T>& value) {
    return value ? add(key, *value) : raw(key, "null");
  }

  std::string text() const { return "{" + members_ + "}"; }
  // As a line of standard output, flushed.
  void print() const;

 private:
  JsonObject& raw(std::string_view key, std::string_view json);

  std::string members_;
};

}  // namespace heddle::cli
