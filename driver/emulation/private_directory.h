// A directory of this process alone: for sockets, what XRT's emulation writes, and what it reads.
//
// A lock on a file inside says that its owner lives; whoever makes the next one removes those whose owner is gone.
#pragma once

#include <string>

namespace heddle::emulation {

class PrivateDirectory {
 public:
  // Below $TMPDIR, or /tmp where that would be too long for a socket's address. Throws DeviceError.
  PrivateDirectory();
  // Removes it with all its content, unless this is a child process of its owner's.
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
  int owner_ = 0;
};

}  // namespace heddle::emulation
