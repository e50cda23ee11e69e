#include "driver/xrt/quiet.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace heddle::driver {
namespace {

int standard_output = -1;  // the real one while XRT's is held
int held = -1;             // a file in memory

void empty_buffers() {
  std::cout.flush();
  std::fflush(stdout);
}

void pass_on() {
  std::array<char, 4096> part;
  ::lseek(held, 0, SEEK_SET);
  for (ssize_t bytes; (bytes = ::read(held, part.data(), part.size())) > 0;) {
    if (::write(STDERR_FILENO, part.data(), static_cast<std::size_t>(bytes)) < 0) return;
  }
}

void release(bool silently) {
  if (held < 0) return;
  empty_buffers();
  if (!silently) pass_on();
  ::dup2(standard_output, STDOUT_FILENO);
  ::close(standard_output);
  ::close(held);
  held = standard_output = -1;
}

}  // namespace

HeldOutput::HeldOutput() {
  static const bool registered = std::atexit([] { release(false); }) == 0;
  empty_buffers();
  const int file = registered ? ::memfd_create("output of XRT", MFD_CLOEXEC) : -1;
  if (file < 0) return;  // XRT's words among ours are the lesser evil
  standard_output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (standard_output < 0 || ::dup2(file, STDOUT_FILENO) < 0) {
    ::close(file);
    return;
  }
  held = file;
}

HeldOutput::~HeldOutput() { release(well_); }

}  // namespace heddle::driver
