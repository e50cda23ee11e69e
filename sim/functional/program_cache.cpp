#include "sim/functional/program_cache.h"

#include <algorithm>
#include <cstring>

namespace heddle::sim {
namespace {

bool is(const KnownProgram& known, std::span<const isa::Word> words, const SlotLines& lines, const SlotBases& bases) {
  return known.words.size() == words.size() && known.lines == lines && known.bases == bases &&
         (words.empty() || std::memcmp(known.words.data(), words.data(), words.size_bytes()) == 0);
}

}  // namespace

const KnownProgram& ProgramCache::get(std::span<const isa::Word> words, const SlotLines& lines,
                                      const SlotBases& bases) {
  const auto found = std::find_if(programs_.begin(), programs_.end(),
                                  [&](const KnownProgram& known) { return is(known, words, lines, bases); });
  if (found != programs_.end()) {
    programs_.splice(programs_.begin(), programs_, found);
    return programs_.front();
  }
  if (programs_.size() == kPrograms) programs_.pop_back();
  KnownProgram& known = programs_.emplace_front();
  known.words.assign(words.begin(), words.end());
  known.lines = lines;
  known.bases = bases;
  known.checked = check_program(config_, words, lines);
  if (find_races_) known.race = find_race(config_, known.checked.steps, bases);
  return known;
}

}  // namespace heddle::sim
