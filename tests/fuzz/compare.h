// Runs random programs on two subjects and compares errors, device memory, unified buffer and accumulators.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "config/config.h"
#include "tests/fuzz/program_generator.h"
#include "tests/fuzz/subject.h"

namespace heddle::fuzz {

// Programs that share one pair of subjects: what one leaves behind, the next one finds. A run is replayed from the
// start of a group.
inline constexpr std::uint64_t kGroup = 25;

struct Options {
  config::Config config;
  std::uint64_t seed = 1;  // of the first group; the next one has the next number
  std::uint64_t count = 100;
  unsigned corrupt_percent = 50;
};

struct Report {
  std::uint64_t programs = 0;
  std::uint64_t words = 0;
  std::uint64_t faulting = 0;  // ended with an error, the same one on both
  std::string mismatch;        // empty: none; else what differs, and the program
  std::uint64_t replay_seed = 0;
  std::uint64_t replay_count = 0;
};

// Gets the group's seed too: a device's random stalls come from it.
using SubjectMaker = std::function<SubjectPtr(const config::Config&, const sim::SlotLines&, std::uint64_t seed)>;

// Stops at the first mismatch.
Report compare(const Options& options, const SubjectMaker& first, const SubjectMaker& second);

}  // namespace heddle::fuzz
