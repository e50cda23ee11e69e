// Keeps what was found out about programs: their operations, how they end, and whether they race.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "sim/functional/checker.h"
#include "sim/functional/race.h"

namespace heddle::sim {

struct KnownProgram {
  std::vector<isa::Word> words;
  SlotLines lines{};
  SlotBases bases{};
  CheckedProgram checked;
  std::optional<Race> race;
};

class ProgramCache {
 public:
  ProgramCache(const config::Config& config, bool find_races) : config_(config), find_races_(find_races) {}

  // The reference holds until the next call.
  const KnownProgram& get(std::span<const isa::Word> words, const SlotLines& lines, const SlotBases& bases);

 private:
  static constexpr std::size_t kPrograms = 16;
  config::Config config_;
  bool find_races_;
  std::list<KnownProgram> programs_;  // most recently used first
};

}  // namespace heddle::sim
