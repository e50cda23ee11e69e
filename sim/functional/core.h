// The bit-exact functional model of one core: executes programs in program order.
//
// Errors and their indices are the hardware's (docs/design.md, section 6). Programs whose accesses are not ordered by
// tokens are refused with RaceError: the hardware would run them with results that depend on timing. Checks of a
// program are kept, so that running it again costs nothing.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "common/error.h"
#include "config/config.h"
#include "rtl/isa/isa.h"
#include "sim/functional/operation.h"
#include "sim/functional/race.h"
#include "sim/functional/state.h"

namespace heddle::sim {

// A program that passed the dispatcher but has accesses without an order.
class RaceError : public DeviceError {
 public:
  explicit RaceError(const Race& race) : DeviceError(race.message()), race_(race) {}
  const Race& race() const { return race_; }

 private:
  Race race_;
};

// Device memory of each slot, whole lines; empty: not declared. Slots may overlap.
using Slots = std::array<std::span<std::byte>, kSlots>;

class Core {
 public:
  struct Options {
    bool check_races = true;
  };

  explicit Core(const config::Config& config, Options options);
  explicit Core(const config::Config& config) : Core(config, Options()) {}
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Runs a program to its end. All instructions before a faulting one complete. Throws RaceError before anything runs.
  Outcome run(std::span<const isa::Word> program, const Slots& slots);

  // What programs leave behind, for tests.
  UnifiedBuffer& unified_buffer();
  Accumulators& accumulators();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::sim
