#include "config/config.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "config/presets.h"

namespace heddle::config {
namespace {

// Legal values: `low` to `high`; of those only powers of two, or only multiples of `multiple`, where asked for.
struct Range {
  std::uint32_t low;
  std::uint32_t high;
  bool power_of_two = false;
  std::uint32_t multiple = 1;
};

struct Key {
  const char* section;  // "" for the top of the file
  const char* name;
  Range range;
  std::uint32_t& (*member)(Config&);
};

// Limits follow from the field widths of the instruction set, the SHAPE register (docs/design.md) and the RTL's
// banking.
constexpr std::array kKeys = {
    Key{"", "cores", {1, 4}, [](Config& c) -> std::uint32_t& { return c.cores; }},
    Key{"array", "cols", {8, 64, true}, [](Config& c) -> std::uint32_t& { return c.cols; }},
    Key{"array", "weight_fifo", {2, 8, true}, [](Config& c) -> std::uint32_t& { return c.weight_fifo; }},
    Key{"buffers", "ub_lines", {1024, 1u << 18, true}, [](Config& c) -> std::uint32_t& { return c.ub_lines; }},
    Key{"buffers", "ub_banks", {4, 32, true}, [](Config& c) -> std::uint32_t& { return c.ub_banks; }},
    Key{"buffers", "acc_rows", {128, 4096, true}, [](Config& c) -> std::uint32_t& { return c.acc_rows; }},
    Key{"control", "queue_depth", {2, 128, true}, [](Config& c) -> std::uint32_t& { return c.queue_depth; }},
    Key{"memory", "axi_ports", {1, 8, true}, [](Config& c) -> std::uint32_t& { return c.axi_ports; }},
    Key{"memory", "axi_bytes", {64, 64}, [](Config& c) -> std::uint32_t& { return c.axi_bytes; }},
    Key{"clock", "mhz", {1, 1000}, [](Config& c) -> std::uint32_t& { return c.mhz; }},
    Key{"model", "banks", {1, 32}, [](Config& c) -> std::uint32_t& { return c.model.banks; }},
    Key{"model",
        "bytes_per_cycle",
        {8, 64, false, 8},
        [](Config& c) -> std::uint32_t& { return c.model.bytes_per_cycle; }},
    Key{"model", "read_latency", {1, 10000}, [](Config& c) -> std::uint32_t& { return c.model.read_latency; }},
    Key{"model", "write_latency", {1, 10000}, [](Config& c) -> std::uint32_t& { return c.model.write_latency; }},
    Key{"model", "stall_percent", {0, 95}, [](Config& c) -> std::uint32_t& { return c.model.stall_percent; }},
};

[[noreturn]] void fail(const std::string& origin, const std::string& what) {
  throw InputError("configuration " + origin + ": " + what);
}

std::string describe(const Range& range) {
  if (range.low == range.high) return std::to_string(range.low);
  std::string text;
  if (range.power_of_two && range.high / range.low <= 16) {
    for (std::uint32_t value = range.low; value <= range.high; value *= 2)
      text += (text.empty() ? "" : value == range.high ? " or " : ", ") + std::to_string(value);
    return text;
  }
  text = range.power_of_two   ? "a power of two"
         : range.multiple > 1 ? "a multiple of " + std::to_string(range.multiple)
                              : "an integer";
  return text + " from " + std::to_string(range.low) + " to " + std::to_string(range.high);
}

bool is_legal(const Range& range, std::int64_t value) {
  if (value < range.low || value > range.high) return false;
  if (range.power_of_two) return std::has_single_bit(static_cast<std::uint64_t>(value));
  return value % range.multiple == 0;
}

std::string full_name(const Key& key) { return *key.section ? std::string(key.section) + "." + key.name : key.name; }

bool is_section(std::string_view name) {
  return std::any_of(kKeys.begin(), kKeys.end(), [&](const Key& key) { return *key.section && name == key.section; });
}

bool is_key(std::string_view section, std::string_view name) {
  return std::any_of(kKeys.begin(), kKeys.end(),
                     [&](const Key& key) { return section == key.section && name == key.name; });
}

std::string keys_of(std::string_view section) {
  std::string text = section.empty() ? "name" : "";
  for (const auto& key : kKeys)
    if (section == key.section) text += (text.empty() ? "" : ", ") + std::string(key.name);
  return text;
}

void reject_unknown_keys(const toml::table& file, const std::string& origin) {
  for (const auto& [key, node] : file) {
    if (key == "name" || is_key("", key.str())) continue;
    if (!is_section(key.str())) fail(origin, "unknown key '" + std::string(key.str()) + "'");
    if (!node.is_table())
      fail(origin, "'" + std::string(key.str()) + "' has to be a section: [" + std::string(key.str()) + "]");
    for (const auto& [inner, value] : *node.as_table())
      if (!is_key(key.str(), inner.str()))
        fail(origin, "unknown key '" + std::string(key.str()) + "." + std::string(inner.str()) + "'; [" +
                         std::string(key.str()) + "] has " + keys_of(key.str()));
  }
}

std::uint32_t read(const toml::table& file, const Key& key, const std::string& origin) {
  const auto view = *key.section ? file[key.section][key.name] : file[key.name];
  if (!view) fail(origin, "'" + full_name(key) + "' is missing; it has to be " + describe(key.range));
  const auto value = view.value_exact<std::int64_t>();
  if (value && is_legal(key.range, *value)) return static_cast<std::uint32_t>(*value);
  std::ostringstream text;
  if (value)
    text << *value;
  else
    text << toml::node_view<const toml::node>(view);
  fail(origin, "'" + full_name(key) + "' is " + text.str() + "; it has to be " + describe(key.range));
}

std::string read_name(const toml::table& file, const std::string& origin) {
  const auto name = file["name"].value_exact<std::string>();
  const auto legal = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  if (!name || name->empty() || name->size() > 64 || !std::all_of(name->begin(), name->end(), legal))
    fail(origin, "'name' has to be a string of letters, digits, - and _");
  return *name;
}

// Bounds how deep dotted keys can nest: the parser's tables are destroyed recursively.
void reject_long_lines(const std::string& text, const std::string& origin) {
  constexpr std::size_t kLineLimit = 1000;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number)
    if (line.size() > kLineLimit)
      fail(origin, "line " + std::to_string(number) + " has more than " + std::to_string(kLineLimit) + " characters");
}

}  // namespace

Config parse(const std::string& text, const std::string& origin) {
  reject_long_lines(text, origin);
  toml::table file;
  try {
    file = toml::parse(text);
  } catch (const toml::parse_error& error) {
    const auto place = error.source().begin;
    fail(origin, "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": " +
                     std::string(error.description()));
  }
  reject_unknown_keys(file, origin);
  Config config;
  config.name = read_name(file, origin);
  for (const auto& key : kKeys) key.member(config) = read(file, key, origin);
  return config;
}

Config load(const std::string& preset_or_path) {
  for (const auto& preset : embedded_presets())
    if (preset.name == preset_or_path) return parse(std::string(preset.text), "preset " + preset_or_path);
  const std::filesystem::path path = preset_or_path;
  std::error_code ignored;
  if (path.extension() != ".toml" && !path.has_parent_path() && !std::filesystem::is_regular_file(path, ignored)) {
    std::string names;
    for (const auto& name : presets()) names += (names.empty() ? "" : ", ") + name;
    throw InputError("there is no configuration '" + preset_or_path + "'; give the path of a .toml file or one of " +
                     names);
  }
  return parse(read_text(path, kDescriptionLimit), preset_or_path);
}

std::vector<std::string> presets() {
  std::vector<std::string> names;
  for (const auto& preset : embedded_presets()) names.emplace_back(preset.name);
  return names;
}

std::string to_toml(const Config& config) {
  Config copy = config;
  std::ostringstream out;
  out << "name = \"" << config.name << "\"\n";
  std::string_view section;
  for (const auto& key : kKeys) {
    if (section != key.section) out << "\n[" << (section = key.section) << "]\n";
    out << key.name << " = " << key.member(copy) << "\n";
  }
  return out.str();
}

std::string to_package(const Config& config) {
  std::ostringstream out;
  out << "// Generated by heddle-configgen from the configuration " << config.name << ".\npackage heddle_config_pkg;\n";
  const auto constant = [&](const char* name, std::uint32_t value, const char* meaning) {
    out << "  localparam " << name << " = " << value << ";  // " << meaning << "\n";
  };
  constant("COLS", config.cols, "columns of the array");
  constant("WEIGHT_FIFO", config.weight_fifo, "stationary tiles");
  constant("UB_LINES", config.ub_lines, "unified buffer, lines of 64 byte");
  constant("UB_BANKS", config.ub_banks, "banks of the unified buffer");
  constant("ACC_ROWS", config.acc_rows, "accumulator rows of COLS fp32");
  constant("QUEUE_DEPTH", config.queue_depth, "instructions waiting per unit");
  constant("AXI_PORTS", config.axi_ports, "data ports");
  out << "endpackage\n";
  return out.str();
}

}  // namespace heddle::config
