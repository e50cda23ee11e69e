// heddle: trains networks on the accelerator and its simulators, and looks inside.
#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "common/error.h"
#include "host/cli/commands.h"
#include "host/cli/output.h"

namespace {

// Standard streams that came closed would pass their numbers to the next files opened, and output would land in
// those. This opens them the wrong way round, so that using them fails.
void hold_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY));
}

int run(int argc, char** argv) {
  int exit_code = 0;
  const auto arguments = heddle::cli::parse_arguments(argc, argv, exit_code);
  if (arguments) std::visit([](const auto& chosen) { heddle::cli::run(chosen); }, *arguments);
  heddle::cli::flush_output();
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // writing then fails with EPIPE, which is reported as other errors are
  try {
    return run(argc, argv);
  } catch (const heddle::Error& error) {
    std::cerr << "heddle: " << error.what() << "\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "heddle: out of memory; use a smaller problem\n";
  } catch (const std::system_error& error) {  // output that cannot be written, files that cannot be looked at
    std::cerr << "heddle: " << error.what() << "\n";
  }
  return 1;
}
