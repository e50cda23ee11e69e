#include "host/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "common/error.h"

namespace heddle::cli {
namespace {

[[noreturn]] void fail() {
  const int reason = errno;
  std::string mend = "redirect it to a place that takes it";
  if (reason == EPIPE) mend = "its reader has gone; let it read to the end, or redirect to a file";
  if (reason == EBADF) mend = "it is closed; redirect it to a file, or to /dev/null";
  throw InputError(std::string("cannot write to standard output: ") + std::strerror(reason) + "; " + mend);
}

}  // namespace

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail();
}

void flush_output() {
  if (std::fflush(stdout) != 0) fail();
}

}  // namespace heddle::cli
