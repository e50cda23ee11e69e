#include "rtl/synthesis/netlist.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <unordered_map>
#include <vector>

#include "common/error.h"

namespace heddle::synthesis {
namespace {

using nlohmann::json;
using Bit = std::int64_t;  // number of a net; constants are negative

enum class Kind { lut, carry, free, memory_read, end_point };

// What lies between a primitive's inputs and outputs.
Kind kind_of(const std::string& type) {
  if (type.starts_with("LUT")) return Kind::lut;
  if (type.starts_with("CARRY")) return Kind::carry;
  if (type.starts_with("MUXF") || type == "INV" || type == "BUFG" || type == "IBUF" || type == "OBUF")
    return Kind::free;
  if (type.starts_with("RAM32") || type.starts_with("RAM64") || type.starts_with("RAM128") ||
      type.starts_with("RAM256"))
    return Kind::memory_read;
  return Kind::end_point;
}

bool is_flip_flop(const std::string& type) {
  static const std::set<std::string> names = {"FDRE", "FDSE", "FDCE", "FDPE", "FDRE_1", "FDSE_1", "LDCE", "LDPE"};
  return names.contains(type);
}

// LUTs that one primitive of distributed memory takes.
std::uint64_t memory_luts(const std::string& type) {
  if (type.starts_with("RAM32M16")) return 8;
  if (type.starts_with("RAM64M8")) return 8;
  if (type.starts_with("RAM32M") || type.starts_with("RAM64M")) return 4;
  if (type.starts_with("RAM128X1D") || type.starts_with("RAM256X1S")) return 4;
  return 2;
}

using Functions = std::array<std::uint64_t, 7>;  // by number of inputs

// LUTs for these functions: each small one joins a larger one while both have at most five inputs together.
std::uint64_t packed(Functions left) {
  std::uint64_t luts = left[6] + left[5] + left[4];
  const auto join = [&](std::uint64_t& room, std::uint64_t& small) {
    const std::uint64_t pairs = std::min(room, small);
    room -= pairs;
    small -= pairs;
    return pairs;
  };
  join(left[5], left[1]);
  join(left[4], left[1]);
  join(left[4], left[2]);
  luts += join(left[3], left[1]) + join(left[3], left[2]);
  return luts + (left[3] + 1) / 2 + (left[1] + left[2] + 1) / 2;
}

void count(const std::string& type, Functions& functions, Resources& sum) {
  if (type.starts_with("LUT"))
    ++functions.at(static_cast<std::size_t>(type.at(3) - '0'));
  else if (type.starts_with("SRL"))
    ++sum.lut;
  else if (kind_of(type) == Kind::memory_read)
    sum.lut += memory_luts(type);
  else if (is_flip_flop(type))
    ++sum.ff;
  else if (type.starts_with("DSP48"))
    ++sum.dsp;
  else if (type.starts_with("RAMB36"))
    sum.bram36 += 1;
  else if (type.starts_with("RAMB18"))
    sum.bram36 += 0.5;
  else if (type.starts_with("URAM"))
    ++sum.uram;
}

// Yosys writes numbers as 32 binary digits.
void read_parameters(const json& values, Instance& instance) {
  for (const auto& [name, value] : values.items())
    instance.parameters[name] = std::stoull(value.get<std::string>(), nullptr, 2);
}

class Timing {
 public:
  explicit Timing(const json& module) {
    for (const auto& [name, net] : module.at("netnames").items()) name_bits(name, net);
    for (const auto& [name, cell] : module.at("cells").items()) add_cell(name, cell);
    for (const auto& [name, port] : module.at("ports").items())
      if (port.at("direction") != "input")
        for (const auto& bit : port.at("bits"))
          if (bit.is_number()) ends_.push_back({bit.get<Bit>(), "output " + name});
  }

  // The longest path to each end, longest first.
  std::vector<Path> longest() {
    std::map<std::string, Bit> latest;
    for (const auto& [bit, where] : ends_) {
      const auto [known, is_new] = latest.try_emplace(where, bit);
      if (!is_new && arrive(bit).levels > arrive(known->second).levels) known->second = bit;
    }
    std::vector<Path> paths;
    for (const auto& [where, bit] : latest) paths.push_back({arrive(bit).levels, steps_to(bit), where});
    std::stable_sort(paths.begin(), paths.end(), [](const Path& a, const Path& b) { return a.levels > b.levels; });
    return paths;
  }

 private:
  struct Driver {
    std::string type;
    std::vector<std::pair<Bit, std::uint32_t>> inputs;  // net and the levels that the primitive adds to it
  };
  struct Arrival {
    std::uint32_t levels = 0;
    Bit before = 0;  // the net that arrives last at the driver; the bit itself where a path starts
  };
  struct End {
    Bit bit;
    std::string where;
  };

  // Names of the source stand before those that Yosys made up.
  void name_bits(const std::string& name, const json& net) {
    const bool from_source = net.at("hide_name") == 0;
    const json& bits = net.at("bits");
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (!bits[i].is_number()) continue;
      const auto [known, is_new] = names_.try_emplace(bits[i].get<Bit>(), Name{name, i, from_source});
      if (!is_new && from_source && !known->second.from_source) known->second = {name, i, true};
    }
  }

  void add_cell(const std::string& name, const json& cell) {
    const std::string type = cell.at("type");
    const Kind kind = kind_of(type);
    Driver driver{type, {}};
    for (const auto& [port, bits] : cell.at("connections").items()) {
      if (cell.at("port_directions").at(port) != "input") continue;
      const bool storage = kind == Kind::end_point ||
                           (kind == Kind::memory_read && !port.starts_with("ADDR") && !port.starts_with("DPRA"));
      if (storage && (port == "C" || port == "CLK" || port == "WCLK")) continue;
      const std::string where = storage ? end_name(name, cell) + "." + port : "";
      for (const auto& bit : bits) {
        if (!bit.is_number()) continue;
        if (storage)
          ends_.push_back({bit.get<Bit>(), where});
        else
          driver.inputs.emplace_back(bit.get<Bit>(), levels_through(kind, port));
      }
    }
    if (kind == Kind::end_point) return;
    const std::size_t index = drivers_.size();
    drivers_.push_back(std::move(driver));
    for (const auto& [port, bits] : cell.at("connections").items())
      if (cell.at("port_directions").at(port) == "output")
        for (const auto& bit : bits)
          if (bit.is_number()) driven_by_[bit.get<Bit>()] = index;
  }

  // A flip-flop is known by what it drives, anything else by its own name.
  std::string end_name(const std::string& cell_name, const json& cell) const {
    const std::string type = cell.at("type");
    const json& connections = cell.at("connections");
    if (is_flip_flop(type) && connections.at("Q").at(0).is_number())
      return names_.at(connections.at("Q").at(0).get<Bit>()).name + " (" + type + ")";
    return cell_name + " (" + type + ")";
  }

  static std::uint32_t levels_through(Kind kind, const std::string& port) {
    if (kind == Kind::free) return 0;
    if (kind == Kind::carry && (port == "CI" || port == "CI_TOP")) return 0;
    return 1;
  }

  const Arrival& arrive(Bit bit) {
    const auto known = arrivals_.find(bit);
    if (known != arrivals_.end()) return known->second;
    Arrival latest{0, bit};
    arrivals_[bit] = latest;  // cuts combinational loops, which lint has excluded
    const auto driver = driven_by_.find(bit);
    if (driver != driven_by_.end())
      for (const auto& [input, added] : drivers_[driver->second].inputs) {
        const std::uint32_t levels = arrive(input).levels + added;
        if (levels > latest.levels || latest.before == bit) latest = {levels, input};
      }
    return arrivals_[bit] = latest;
  }

  std::vector<Step> steps_to(Bit bit) {
    std::vector<Step> steps;
    for (;; bit = arrive(bit).before) {
      const Arrival& arrival = arrive(bit);
      const bool starts = arrival.before == bit;
      steps.push_back({name_of(bit), arrival.levels, starts ? "" : drivers_[driven_by_.at(bit)].type});
      if (starts) break;
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  std::string name_of(Bit bit) const {
    const auto found = names_.find(bit);
    return found == names_.end() ? "unnamed" : found->second.name + "[" + std::to_string(found->second.index) + "]";
  }

  struct Name {
    std::string name;
    std::size_t index = 0;
    bool from_source = false;
  };
  std::unordered_map<Bit, Name> names_;
  std::unordered_map<Bit, std::size_t> driven_by_;
  std::unordered_map<Bit, Arrival> arrivals_;
  std::vector<Driver> drivers_;
  std::vector<End> ends_;
};

}  // namespace

Report analyse(const std::filesystem::path& path, const std::set<std::string>& boxes) {
  std::ifstream file(path);
  const json netlist = json::parse(file, nullptr, false);
  if (netlist.is_discarded() || !netlist.contains("modules"))
    throw InputError(path.string() + " is not a netlist: write it with yosys' write_json");
  for (const auto& [name, module] : netlist.at("modules").items()) {
    if (!module.at("attributes").contains("top")) continue;
    Report report;
    Functions functions{};
    for (const auto& [name, cell] : module.at("cells").items()) {
      const std::string type = cell.at("type");
      count(type, functions, report.resources);
      if (!boxes.contains(type)) continue;
      Instance instance{type, {}};
      read_parameters(netlist.at("modules").at(type).value("parameter_default_values", json::object()), instance);
      read_parameters(cell.at("parameters"), instance);
      report.instances.push_back(std::move(instance));
    }
    report.resources.functions = std::accumulate(functions.begin(), functions.end(), std::uint64_t{0});
    report.resources.lut += packed(functions);
    report.paths = Timing(module).longest();
    return report;
  }
  throw InputError(path.string() + " has no top module: run hierarchy -top and flatten before write_json");
}

}  // namespace heddle::synthesis
