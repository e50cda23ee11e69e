// A core on a board behind XRT's native API: an Alveo card, or a board that XRT emulates.
//
// Uses only what XRT 2.13 and later have. Programs are started and watched through the core's registers, which the
// driver has to itself; XRT's scheduler is not involved. Never run on a card.
#pragma once

#include <memory>
#include <string>

#include "driver/device.h"

namespace heddle::driver {

struct XrtOptions {
  // "": the first emulated board that this process does not use yet; "emulated:N": emulated board N;
  // else a card, by XRT's index ("0") or by its address ("0000:65:00.1").
  std::string board;
  unsigned core = 0;   // of the board, from 0
  std::string xclbin;  // path; empty: the one for the configuration among the bitstreams of this build or installation
};

inline constexpr unsigned kEmulatedBoards = 16;  // that a process can use at once

// Throws InputError for options that cannot be, DeviceError that names what is missing, differs or failed.
// A process uses emulated boards or cards, not both: XRT decides once.
std::unique_ptr<Device> make_xrt_device(const config::Config& config, const XrtOptions& options);

}  // namespace heddle::driver
