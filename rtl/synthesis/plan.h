// What to synthesise and for which cards: rtl/synthesis/units.toml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace heddle::synthesis {

struct Unit {
  std::string name;
  std::string top;
  std::vector<std::string> sources;  // from the repository's root
  std::map<std::string, std::int64_t> parameters;
  std::vector<std::string> defines;
  std::vector<std::string> per_core;  // factors: numbers or configuration values
  bool wide_luts = true;              // functions of 7 and 8 inputs on MUXF7 and MUXF8: shorter paths, more LUTs
  std::string reason;                 // for a path that is longer than the limit
};

struct Card {
  std::string preset;
  std::uint64_t lut = 0, ff = 0, dsp = 0, bram36 = 0, uram = 0;
  std::uint64_t shell_lut = 0;
};

struct Plan {
  std::uint32_t max_levels = 0;
  double max_share = 0;
  std::vector<Unit> units;
  std::vector<Card> cards;
};

// Throws heddle::InputError that names the file and the key.
Plan load_plan(const std::filesystem::path& file);

// How many copies of a unit one core of this configuration holds. Throws heddle::InputError for an unknown factor.
double copies(const Unit& unit, const config::Config& config);

}  // namespace heddle::synthesis
