#include "rtl/synthesis/plan.h"

#include <toml++/toml.h>

#include "common/error.h"

namespace heddle::synthesis {
namespace {

template <class T>
T required(const toml::table& table, const char* key, const std::string& where) {
  const auto value = table[key].value<T>();
  if (!value) throw InputError(where + ": key '" + key + "' is missing or of the wrong type");
  return *value;
}

std::vector<std::string> texts(const toml::table& table, const char* key, const std::string& where) {
  std::vector<std::string> result;
  const toml::array* array = table[key].as_array();
  if (!array) return result;
  for (const auto& node : *array) {
    const auto text = node.value<std::string>();
    if (!text) throw InputError(where + ": '" + key + "' has to be a list of strings");
    result.push_back(*text);
  }
  return result;
}

Unit parse_unit(const toml::table& table, const std::string& file) {
  Unit unit;
  unit.name = required<std::string>(table, "name", file);
  const std::string where = file + ", unit '" + unit.name + "'";
  unit.top = required<std::string>(table, "top", where);
  for (const std::string& file : texts(table, "sources", where)) unit.sources.emplace_back(file);
  unit.defines = texts(table, "defines", where);
  unit.wide_luts = table["wide_luts"].value_or(true);
  unit.by_module = table["by_module"].value_or(false);
  unit.ultra_ram = table["ultra_ram"].value_or(false);
  unit.reason = table["reason"].value_or(std::string{});
  return unit;
}

Card parse_card(const toml::table& table, const std::string& file) {
  const auto number = [&](const char* key) {
    return static_cast<std::uint64_t>(required<std::int64_t>(table, key, file + ", card"));
  };
  return {required<std::string>(table, "preset", file + ", card"),
          number("lut"),
          number("ff"),
          number("dsp"),
          number("bram36"),
          number("uram"),
          number("shell_lut")};
}

}  // namespace

Plan load_plan(const std::filesystem::path& file) {
  toml::table root;
  try {
    root = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    throw InputError(file.string() + ": " + std::string(error.description()));
  }
  Plan plan;
  plan.max_levels = static_cast<std::uint32_t>(required<std::int64_t>(root, "max_levels", file.string()));
  plan.max_share = required<double>(root, "max_share", file.string());
  const toml::table* top = root["top"].as_table();
  if (!top) throw InputError(file.string() + ": table 'top' is missing");
  plan.top = parse_unit(*top, file.string());
  if (const toml::array* units = root["unit"].as_array())
    for (const auto& node : *units) plan.units.push_back(parse_unit(*node.as_table(), file.string()));
  if (const toml::array* cards = root["card"].as_array())
    for (const auto& node : *cards) plan.cards.push_back(parse_card(*node.as_table(), file.string()));
  return plan;
}

}  // namespace heddle::synthesis
