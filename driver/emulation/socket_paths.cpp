#include "driver/emulation/socket_paths.h"

#include <cstdlib>

namespace heddle::emulation {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

SocketPaths socket_paths() {
  const std::string id = variable("EMULATION_SOCKETID");
  const std::string user = variable("USER");
  std::string directory = variable(kSocketDirectoryVariable);
  if (directory.empty()) directory = user.empty() ? "/tmp" : "/tmp/" + user;
  // Without USER the shim forgets the id of the first socket.
  const bool numbered = !id.empty() && directory != "/tmp";
  return {directory + "/" + (numbered ? id : "xcl_sock"), directory + "/D2X_unix_sock" + (id.empty() ? "" : "_" + id)};
}

}  // namespace heddle::emulation
