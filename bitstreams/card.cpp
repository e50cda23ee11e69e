#include "bitstreams/card.h"

#include <toml++/toml.h>

#include <algorithm>
#include <regex>

#include "common/error.h"
#include "common/files.h"

namespace heddle::bitstreams {
namespace {

constexpr std::uint32_t kMostBanks = 32;  // of HBM

std::string text_at(const toml::table& table, const char* key, const std::string& where) {
  const auto text = table[key].value<std::string>();
  if (!text || text->empty()) throw InputError(where + ": key '" + key + "' is missing or no text");
  return *text;
}

MemoryRange parse_range(const std::string& text, const std::string& where) {
  static const std::regex form("(DDR|HBM)\\[([0-9]{1,2})(?::([0-9]{1,2}))?\\]");
  std::smatch match;
  if (!std::regex_match(text, match, form))
    throw InputError(where + ": \"" + text + "\" is no memory; write DDR[1] or HBM[4:7]");
  MemoryRange range;
  range.kind = match[1] == "HBM" ? xclbin::MemoryKind::hbm : xclbin::MemoryKind::ddr;
  range.first = static_cast<std::uint32_t>(std::stoul(match[2]));
  range.last = match[3].matched ? static_cast<std::uint32_t>(std::stoul(match[3])) : range.first;
  const bool ddr_range = range.kind == xclbin::MemoryKind::ddr && range.first != range.last;
  if (range.last < range.first || range.last >= kMostBanks || ddr_range)
    throw InputError(where + ": there is no memory " + text);
  return range;
}

CorePlace parse_core(const toml::table& table, const std::string& where) {
  CorePlace core;
  core.slr = text_at(table, "slr", where);
  const toml::array* ports = table["ports"].as_array();
  if (ports == nullptr) throw InputError(where + ": key 'ports' is missing or no list");
  for (const auto& port : *ports) core.ports.push_back(parse_range(port.value_or<std::string>(""), where));
  return core;
}

void check(const Card& card, const std::string& where) {
  if (card.cores.size() != card.config.cores)
    throw InputError(where + " places " + std::to_string(card.cores.size()) + " cores, configuration " +
                     card.config.name + " has " + std::to_string(card.config.cores));
  for (const CorePlace& core : card.cores) {
    if (core.ports.size() != card.config.axi_ports)
      throw InputError(where + " gives a core memory for " + std::to_string(core.ports.size()) +
                       " ports, configuration " + card.config.name + " has " + std::to_string(card.config.axi_ports));
  }
}

}  // namespace

std::string MemoryRange::text() const {
  const std::string name = kind == xclbin::MemoryKind::hbm ? "HBM" : "DDR";
  return name + "[" + std::to_string(first) + (last == first ? "" : ":" + std::to_string(last)) + "]";
}

Card load_card(const std::filesystem::path& file) {
  const std::string where = file.string();
  toml::table root;
  try {
    root = toml::parse(read_text(file), where);
  } catch (const toml::parse_error& error) {
    throw InputError(where + ": " + std::string(error.description()));
  }
  Card card{
      config::load(text_at(root, "preset", where)), text_at(root, "part", where), text_at(root, "platform", where), {}};
  if (const toml::array* cores = root["core"].as_array())
    for (const auto& core : *cores)
      if (core.is_table()) card.cores.push_back(parse_core(*core.as_table(), where));
  check(card, where);
  return card;
}

const MemoryRange& memory_of(const Card& card, std::uint32_t core, const xclbin::Argument& argument) {
  const std::vector<MemoryRange>& ports = card.cores[core].ports;
  for (std::uint32_t p = 0; p < ports.size(); ++p)
    if (argument.port == xclbin::data_port(p)) return ports[p];
  return ports[0];  // the program's
}

xclbin::KernelInterface card_interface(const Card& card) {
  xclbin::KernelInterface kernel = xclbin::kernel_interface(card.config);
  const auto bank = [&](xclbin::MemoryKind kind, std::uint32_t index) {
    const std::string tag = MemoryRange{kind, index, index}.text();
    const auto found =
        std::find_if(kernel.banks.begin(), kernel.banks.end(), [&](const auto& b) { return b.tag == tag; });
    const auto position = static_cast<std::uint32_t>(found - kernel.banks.begin());
    if (found == kernel.banks.end()) kernel.banks.push_back({tag, kind, 0, 0, true});
    return position;
  };
  for (std::uint32_t u = 0; u < kernel.units.size(); ++u) {
    for (std::uint32_t a = 0; a < kernel.arguments.size(); ++a) {
      if (!kernel.arguments[a].pointer) continue;
      const MemoryRange& range = memory_of(card, u, kernel.arguments[a]);
      for (std::uint32_t i = range.first; i <= range.last; ++i)
        kernel.connections.push_back({a, u, bank(range.kind, i)});
    }
  }
  return kernel;
}

}  // namespace heddle::bitstreams
