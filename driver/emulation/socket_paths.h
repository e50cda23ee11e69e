// Where the emulation shim of XRT 2.13 listens for the device process.
#pragma once

#include <string>

namespace heddle::emulation {

// Names that the compatibility library gives its device processes.
inline constexpr const char* kSocketDirectoryVariable = "HEDDLE_EMULATION_SOCKETS";

struct SocketPaths {
  std::string requests;     // the host's requests
  std::string host_memory;  // for kernels that reach into the host's memory; it must be connected all the same
};

// From the environment that the shim gives the process: kSocketDirectoryVariable if set, else /tmp/$USER, names made
// from EMULATION_SOCKETID.
SocketPaths socket_paths();

}  // namespace heddle::emulation
