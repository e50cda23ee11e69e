#include <array>
#include <stdexcept>

#include "sim/functional/checker.h"
#include "sim/functional/race.h"
#include "tests/fuzz/program_generator.h"

namespace heddle::fuzz {
namespace {

using plain::chance;
using sim::Step;

constexpr unsigned number(isa::Unit unit) { return static_cast<unsigned>(unit); }

sim::SlotBases separate_slots() {
  sim::SlotBases bases{};
  for (unsigned s = 0; s < sim::kSlots; ++s) bases[s] = std::uint64_t{s} << 32;
  return bases;
}

// Tokens between two units are matched in order, so posts and waits of a pair are only ever added behind the last ones.
class Placer {
 public:
  Placer(plain::Random& random, std::vector<Step>& steps) : random_(random), steps_(steps) {
    for (auto& row : last_post_) row.fill(-1);
    for (auto& row : last_wait_) row.fill(-1);
  }

  // Orders step `later` behind step `earlier`, perhaps by the token of a later instruction of the same unit.
  bool connect(int earlier, int later) {
    const unsigned from = number(steps_[earlier].unit);
    const unsigned to = number(steps_[later].unit);
    if (last_post_[from][to] >= earlier || last_wait_[from][to] > later) return false;
    if (last_wait_[from][to] == later) steps_[last_post_[from][to]].post &= ~(1U << to);  // a later post replaces it
    int post = earlier;
    while (chance(random_, 15)) {
      int next = post + 1;
      while (next < later && number(steps_[next].unit) != from) ++next;
      if (next >= later) break;
      post = next;
    }
    steps_[post].post |= 1U << to;
    steps_[later].wait |= 1U << from;
    last_post_[from][to] = post;
    last_wait_[from][to] = later;
    return true;
  }

  // A token that nothing needs, and one that nobody takes.
  void add_needless(int later) {
    const int earlier = static_cast<int>(random_() % static_cast<std::uint64_t>(later + 1));
    if (earlier < later && allowed(earlier, later)) connect(earlier, later);
  }
  void add_leftover(int step) {
    const unsigned from = number(steps_[step].unit);
    const unsigned to = static_cast<unsigned>(random_() % isa::kUnitCount);
    if (from == number(isa::Unit::wload) && to == number(isa::Unit::mxu)) return;
    if (last_post_[from][to] >= step) return;
    steps_[step].post |= 1U << to;
    last_post_[from][to] = step;
  }

 private:
  bool allowed(int earlier, int later) const {
    return !(steps_[earlier].unit == isa::Unit::wload && steps_[later].unit == isa::Unit::mxu);
  }

  plain::Random& random_;
  std::vector<Step>& steps_;
  std::array<std::array<int, isa::kUnitCount>, isa::kUnitCount> last_post_;
  std::array<std::array<int, isa::kUnitCount>, isa::kUnitCount> last_wait_;
};

int step_at(const std::vector<Step>& steps, std::uint32_t index) {
  for (std::size_t s = 0; s < steps.size(); ++s)
    if (steps[s].index == index) return static_cast<int>(s);
  throw std::logic_error("the race detector named a word that is no instruction");
}

void write_tokens(const Step& step, isa::Word& word) {
  // `wait` and `post` of the common header.
  const auto fields = isa::find(isa::opcode_bits(word))->fields;
  for (const isa::FieldInfo& field : fields) {
    if (field.name == "wait") word = isa::insert(word, field.lsb, field.bits, step.wait);
    if (field.name == "post") word = isa::insert(word, field.lsb, field.bits, step.post);
  }
}

}  // namespace

void place_tokens(const config::Config& config, const sim::SlotLines& slots, plain::Random& random,
                  std::vector<isa::Word>& words) {
  std::vector<Step> steps = sim::check_program(config, words, slots).steps;
  Placer placer(random, steps);
  int done = 0;
  while (const auto race = sim::find_race(config, steps, separate_slots())) {
    const int later = step_at(steps, race->later);
    if (done < later) {
      for (; done < later; ++done)
        if (chance(random, 5)) placer.add_needless(done);
      continue;  // one of those may have ordered this race
    }
    if (!placer.connect(step_at(steps, race->earlier), later))
      throw std::logic_error("a race stays although its token was placed: " + race->message());
  }
  for (int s = 0; s < static_cast<int>(steps.size()); ++s)
    if (chance(random, 3)) placer.add_leftover(s);
  for (const Step& step : steps) write_tokens(step, words[step.index]);
}

}  // namespace heddle::fuzz
