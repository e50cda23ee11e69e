#include "driver/xclbin/identity.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "driver/xclbin/kernel_interface.h"
#include "rtl/isa/isa.h"

namespace heddle::xclbin {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kWhat = "the xclbin's section USER_METADATA";

const Json& member(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw InputError(std::string(kWhat) + " has no \"" + key + "\"");
  return *found;
}

std::uint32_t number(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
    throw InputError(std::string(kWhat) + ": \"" + key + "\" is no whole number of 32 bits");
  return value.get<std::uint32_t>();
}

}  // namespace

Identity identity_of(const config::Config& config) { return {kInterfaceVersion, isa::kVersion, config::kRows, config}; }

std::string to_json(const Identity& identity) {
  const Json json{{"heddle",
                   {{"interface_version", identity.interface_version},
                    {"isa_version", identity.isa_version},
                    {"rows", identity.rows},
                    {"configuration", config::to_toml(identity.config)}}}};
  return json.dump(2) + "\n";
}

Identity read_identity(std::span<const std::byte> json) {
  const auto* text = reinterpret_cast<const char*>(json.data());
  const Json root = Json::parse(text, text + json.size(), nullptr, false);
  if (!root.is_object()) throw InputError(std::string(kWhat) + " is no JSON object");
  const Json& object = member(root, "heddle");
  if (!object.is_object()) throw InputError(std::string(kWhat) + ": \"heddle\" is no object");
  Identity identity;
  identity.interface_version = number(object, "interface_version");
  identity.isa_version = number(object, "isa_version");
  identity.rows = number(object, "rows");
  const Json& configuration = member(object, "configuration");
  if (!configuration.is_string()) throw InputError(std::string(kWhat) + ": \"configuration\" is no text");
  identity.config = config::parse(configuration.get<std::string>(), std::string(kWhat) + ", configuration");
  return identity;
}

}  // namespace heddle::xclbin
