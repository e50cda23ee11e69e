// Runs Yosys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rtl/synthesis/plan.h"

namespace heddle::synthesis {

struct Job {
  // Files, absolute or from the repository's root.
  std::vector<std::filesystem::path> packages;  // read first, in this order
  std::vector<std::filesystem::path> boxes;     // modules of which only the ports are looked at
  std::map<std::string, std::uint64_t> parameters;
  std::filesystem::path base;  // of the files that it writes: .ys, .log and .json
  bool reuse = false;          // a netlist that is there, made by the same script
};

// Synthesises a unit; gives the netlist's file. Throws heddle::InputError that names the log when Yosys fails.
std::filesystem::path synthesise(const Unit& unit, const std::filesystem::path& source, const Job& job);

}  // namespace heddle::synthesis
