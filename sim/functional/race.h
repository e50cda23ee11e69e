// Finds accesses that no token orders (docs/design.md, section 5).
//
// Programs have no addresses that depend on data, so this needs addresses and tokens only. Vector clocks over the five
// units: an instruction knows, when it starts, how many instructions of each unit have completed. The k-th wait between
// two units takes the token of the k-th post, because a unit completes in order. Two accesses to one place, one of them
// a write, are ordered if the later instruction knows that the earlier one has completed, or by the exceptions of
// section 5.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "config/config.h"
#include "sim/functional/operation.h"

namespace heddle::sim {

enum class Storage : std::uint8_t { unified_buffer, accumulators, memory };

struct Race {
  Storage storage = Storage::unified_buffer;
  std::uint64_t line = 0;     // line, or row of the accumulators
  unsigned slot = 0;          // of device memory, as the later instruction names it
  std::uint32_t earlier = 0;  // index of the word; the same as `later` within one instruction
  std::uint32_t later = 0;
  isa::Unit earlier_unit = isa::Unit::none;
  isa::Unit later_unit = isa::Unit::none;
  bool earlier_writes = false;
  bool later_writes = false;

  // Both instructions, the place and the token that is missing.
  std::string message() const;
};

// Where each slot begins, in lines of one common space: slots that share memory have overlapping ranges.
using SlotBases = std::array<std::uint64_t, kSlots>;

// The first race of a program that passed the dispatcher, in program order of the later access.
std::optional<Race> find_race(const config::Config& config, std::span<const Step> steps, const SlotBases& slots);

}  // namespace heddle::sim
