// While this lives, what XRT prints on standard output goes to standard error: a program's output is its own.
//
// XRT's emulation also forks, and what is buffered then would appear twice; so buffers are emptied first. One at a time
// in a process.
#pragma once

namespace heddle::driver {

class StandardOutputToError {
 public:
  StandardOutputToError();
  ~StandardOutputToError();
  StandardOutputToError(const StandardOutputToError&) = delete;
  StandardOutputToError& operator=(const StandardOutputToError&) = delete;

 private:
  int saved_;
};

}  // namespace heddle::driver
