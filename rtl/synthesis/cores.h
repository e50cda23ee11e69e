// What the cores of the cards consist of: every unit, synthesised at the size that the kernel on a card gives it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "rtl/synthesis/netlist.h"
#include "rtl/synthesis/plan.h"

namespace heddle::synthesis {

struct Options {
  std::filesystem::path source;
  std::filesystem::path generated;           // packages
  std::filesystem::path work = "synthesis";  // scripts, netlists, logs
  std::vector<std::string> only;             // top modules, instead of all
  bool reuse = false;                        // netlists that are there
};

// A unit with the parameters that some card gives it.
struct Sized {
  const Unit* unit = nullptr;
  std::map<std::string, std::uint64_t> parameters;
  Report report;
};

// A card, and what a core on it consists of: an element for each instance, as indices of `Result::units`.
struct Placed {
  const Card* card = nullptr;
  config::Config config;
  std::vector<std::size_t> units;
};

struct Result {
  std::vector<Sized> units;
  std::vector<Placed> cards;
};

// Runs Yosys for each unit, once for each set of parameters. Throws heddle::InputError where Yosys fails and for a unit
// that no core holds.
Result synthesise_cores(const Plan& plan, const Options& options);

}  // namespace heddle::synthesis
