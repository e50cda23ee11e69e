// Random programs for fuzzing: legal and free of races, or such programs with a few words damaged.
//
// Sizes are small and addresses lie in narrow windows at both ends of each storage, so that instructions overlap often
// and need tokens; tokens stand only where the race detector asks for one, plus a few that nobody needs, so that units
// run as independently as the contract lets them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/config.h"
#include "rtl/isa/isa.h"
#include "sim/functional/checker.h"
#include "sim/functional/operation.h"
#include "tests/reference/random_data.h"

namespace heddle::fuzz {

struct Case {
  std::vector<isa::Word> words;
  sim::Outcome expected;  // what the dispatcher's checks of the functional model say
};

class ProgramGenerator {
 public:
  ProgramGenerator(const config::Config& config, std::uint64_t seed);

  // Ends with HALT and no error.
  Case legal();

  // Bit flips, swapped, repeated, dropped and random words. Never races up to its fault, so that every result is
  // defined.
  Case corrupted();

  // Stores the windows of unified buffer and accumulators to slot `dump_slot()`, from its first line on.
  std::vector<isa::Word> dump_program() const;
  static constexpr unsigned dump_slot() { return 15; }

  // Lines of each slot; 0: not declared. The dump slot is declared, but no other program stores to it.
  const sim::SlotLines& slot_lines() const { return slots_; }
  std::vector<std::uint8_t> random_memory(unsigned slot);

 private:
  using Item = std::vector<isa::Word>;  // what has to stay together: prefix and instruction, WLOAD and MATMUL

  Item random_item();
  Item load();
  Item store();
  Item matmul();
  Item vec();
  bool acceptable(const Item& item) const;
  std::uint32_t buffer_line();
  std::uint32_t accumulator_row(std::uint32_t rows);
  std::uint32_t stride();
  unsigned slot();
  void damage(std::vector<isa::Word>& words);

  config::Config config_;
  plain::Random random_;
  sim::SlotLines slots_{};
  std::uint32_t window_;      // lines at the lower end of the unified buffer
  std::uint32_t top_window_;  // and at its upper end
  std::uint32_t row_window_;  // rows at both ends of the accumulators
};

// Adds the tokens that a program without any needs, and a few more. `words` has to pass the dispatcher.
void place_tokens(const config::Config& config, const sim::SlotLines& slots, plain::Random& random,
                  std::vector<isa::Word>& words);

}  // namespace heddle::fuzz
