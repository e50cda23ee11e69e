#include "driver/xrt/quiet.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace heddle::driver {
namespace {

void empty_buffers() {
  std::cout.flush();
  std::fflush(stdout);
}

}  // namespace

StandardOutputToError::StandardOutputToError() {
  empty_buffers();
  saved_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (saved_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

StandardOutputToError::~StandardOutputToError() {
  if (saved_ < 0) return;
  empty_buffers();
  ::dup2(saved_, STDOUT_FILENO);
  ::close(saved_);
}

}  // namespace heddle::driver
