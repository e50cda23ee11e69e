#include "tests/fuzz/compare.h"

#include <algorithm>
#include <cstdio>

namespace heddle::fuzz {
namespace {

std::string text(const sim::Outcome& outcome) {
  return std::string(isa::to_string(outcome.error)) + " at " + std::to_string(outcome.index);
}

std::string listing(const std::vector<isa::Word>& words) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    char line[96];
    const isa::InstructionInfo* info = isa::find(isa::opcode_bits(words[i]));
    std::snprintf(line, sizeof line, "  %4zu %-7.*s %016llx%016llx\n", i, info != nullptr ? int(info->name.size()) : 1,
                  info != nullptr ? info->name.data() : "?", static_cast<unsigned long long>(words[i].hi),
                  static_cast<unsigned long long>(words[i].lo));
    result += line;
  }
  return result;
}

class Pair {
 public:
  Pair(SubjectPtr first, SubjectPtr second, const sim::SlotLines& slots)
      : first_(std::move(first)), second_(std::move(second)), slots_(slots) {}

  void write(unsigned slot, std::span<const std::uint8_t> content) {
    first_->write(slot, content);
    second_->write(slot, content);
  }

  // What differs after running `words` on both; empty if nothing does.
  std::string run(std::span<const isa::Word> words, sim::Outcome& outcome) {
    outcome = first_->run(words);
    const sim::Outcome other = second_->run(words);
    if (outcome != other)
      return first_->name() + " ends with " + text(outcome) + ", " + second_->name() + " with " + text(other);
    for (unsigned s = 0; s < sim::kSlots; ++s) {
      if (slots_[s] == 0) continue;
      const auto x = first_->read(s);
      const auto y = second_->read(s);
      const auto place = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
      if (place.first == x.end()) continue;
      const auto byte = static_cast<std::size_t>(place.first - x.begin());
      return "slot " + std::to_string(s) + " line " + std::to_string(byte / sim::kLineBytes) + " byte " +
             std::to_string(byte % sim::kLineBytes) + ": " + first_->name() + " has " + std::to_string(x[byte]) + ", " +
             second_->name() + " " + std::to_string(y[byte]);
    }
    return {};
  }

 private:
  SubjectPtr first_;
  SubjectPtr second_;
  sim::SlotLines slots_;
};

}  // namespace

Report compare(const Options& options, const SubjectMaker& first, const SubjectMaker& second) {
  Report report;
  for (std::uint64_t group = 0; group * kGroup < options.count; ++group) {
    const std::uint64_t seed = options.seed + group;
    ProgramGenerator generator(options.config, seed);
    plain::Random random(seed ^ 0x9E3779B97F4A7C15ULL);
    const sim::SlotLines& slots = generator.slot_lines();
    Pair pair(first(options.config, slots, seed), second(options.config, slots, seed), slots);
    const std::vector<isa::Word> dump = generator.dump_program();
    const std::uint64_t in_group = std::min(kGroup, options.count - group * kGroup);
    for (std::uint64_t i = 0; i < in_group; ++i) {
      for (unsigned s = 0; s < sim::kSlots; ++s)
        if (slots[s] != 0) pair.write(s, generator.random_memory(s));
      const Case program = plain::chance(random, options.corrupt_percent) ? generator.corrupted() : generator.legal();
      sim::Outcome outcome;
      std::string difference = pair.run(program.words, outcome);
      const bool expected_error = program.expected.error == outcome.error;
      if (difference.empty() && !expected_error) difference = "both end with " + text(outcome);
      sim::Outcome dumped;
      if (difference.empty()) difference = pair.run(dump, dumped);
      if (difference.empty() && dumped.error != isa::Error::none) difference = "the dump ends with " + text(dumped);
      if (!difference.empty()) {
        report.mismatch = difference + "\nexpected " + text(program.expected) + "\n" + listing(program.words);
        report.replay_seed = seed;
        report.replay_count = i + 1;
        return report;
      }
      ++report.programs;
      report.words += program.words.size();
      report.faulting += outcome.error != isa::Error::none ? 1 : 0;
    }
  }
  return report;
}

}  // namespace heddle::fuzz
