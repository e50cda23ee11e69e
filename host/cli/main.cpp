// heddle: trains networks on the accelerator and its simulators, and looks inside.
#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <stdexcept>
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

// Writing then fails with EPIPE or EFBIG, which is reported as other errors are.
void ignore_signals_of_output() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void run(int argc, char** argv) {
  const auto arguments = heddle::cli::parse_arguments(argc, argv);
  if (arguments) std::visit([](const auto& chosen) { heddle::cli::run(chosen); }, *arguments);
  heddle::cli::flush_output();
}

}  // namespace

// 0: done; 1: it could not be done; 2: the arguments are wrong. An error is one line of standard error.
int main(int argc, char** argv) {
  hold_standard_streams();
  ignore_signals_of_output();
  try {
    run(argc, argv);
    return 0;
  } catch (const heddle::cli::UsageError& error) {
    std::cerr << "heddle: " << error.what() << "\n";
    return 2;
  } catch (const heddle::Error& error) {
    std::cerr << "heddle: " << error.what() << "\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "heddle: out of memory; use a smaller problem\n";
  } catch (const std::length_error&) {  // more elements than a container can ever have
    std::cerr << "heddle: out of memory; use a smaller problem\n";
  } catch (const std::system_error& error) {  // files that cannot be looked at
    std::cerr << "heddle: " << error.what() << "\n";
  }
  return 1;
}
