// Faults that an emulated board shows on purpose, so that tests see what a host makes of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::emulation {

inline constexpr const char* kFaultsVariable = "HEDDLE_EMULATION_FAULTS";

enum class FaultKind {
  read_error,       // what LOADs read answers with SLVERR
  write_error,      // what STOREs write answers with SLVERR
  fetch_error,      // the program answers with SLVERR
  stuck_kernel,     // a started kernel does nothing
  lost_completion,  // a kernel does its work, but never says so
  wrong_uuid,    // the registers that name the core are another core's, as if another xclbin had been loaded meanwhile
  crash,         // the process dies in the middle of a run
  silent,        // the process lives and answers nothing more, from the middle of a run on
  slow_answers,  // every answer takes that many milliseconds longer
};

// A list such as "stuck_kernel@2,slow_answers=20": kinds with "@N" for the Nth run of the process only (from 1),
// without it for all of them.
class Faults {
 public:
  Faults() = default;
  // Throws InputError that names the word and the legal ones.
  static Faults parse(std::string_view text);

  // Whether `kind` is wanted in run `run`.
  bool in_run(FaultKind kind, std::uint64_t run) const;
  // Whether `kind` is wanted at all times.
  bool always(FaultKind kind) const { return in_run(kind, 0); }
  std::chrono::milliseconds delay() const;

 private:
  struct Fault {
    FaultKind kind;
    std::optional<std::uint64_t> run;
    std::uint64_t value = 0;
  };
  std::vector<Fault> faults_;
};

}  // namespace heddle::emulation
