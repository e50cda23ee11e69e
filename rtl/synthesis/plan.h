// What to synthesise and for which cards: rtl/synthesis/units.toml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::synthesis {

struct Unit {
  std::string name;
  std::string top;
  std::vector<std::filesystem::path> sources;  // from the repository's root
  std::vector<std::string> defines;
  bool wide_luts = true;  // functions of 7 and 8 inputs on MUXF7 and MUXF8: shorter paths, more LUTs
  bool by_module =
      false;  // each module once, put together afterwards: faster, nothing is simplified across their borders
  bool ultra_ram = false;  // large memories into URAM
  std::string reason;      // for a path that is longer than the limit
};

struct Card {
  std::string preset;
  std::uint64_t lut = 0, ff = 0, dsp = 0, bram36 = 0, uram = 0;
  std::uint64_t shell_lut = 0;
};

struct Plan {
  std::uint32_t max_levels = 0;
  double max_share = 0;
  Unit top;                 // the kernel around the units
  std::vector<Unit> units;  // what it instantiates
  std::vector<Card> cards;
};

// Throws heddle::InputError that names the file and the key.
Plan load_plan(const std::filesystem::path& file);

}  // namespace heddle::synthesis
