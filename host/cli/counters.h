// The counters of a run as a table for people: where each unit's cycles went.
#pragma once

#include "driver/device.h"

namespace heddle::cli {

void print_counters(const driver::Counters& counters);

}  // namespace heddle::cli
