// How long a host waits for an answer of an emulated board before it counts as lost.
#pragma once

#include "common/seconds_variable.h"

namespace heddle::emulation {

// $HEDDLE_EMULATION_REPLY_LIMIT as it was at the first call. Throws InputError.
inline std::chrono::seconds reply_limit() {
  static const std::chrono::seconds limit = seconds_variable("HEDDLE_EMULATION_REPLY_LIMIT", std::chrono::seconds(60));
  return limit;
}

}  // namespace heddle::emulation
