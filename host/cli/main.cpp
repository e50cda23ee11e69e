// heddle: trains networks on the accelerator and its simulators, and looks inside.
#include <iostream>
#include <new>

#include "common/error.h"
#include "host/cli/commands.h"

int main(int argc, char** argv) {
  try {
    int exit_code = 0;
    const auto arguments = heddle::cli::parse_arguments(argc, argv, exit_code);
    if (!arguments) return exit_code;
    std::visit([](const auto& chosen) { heddle::cli::run(chosen); }, *arguments);
    return 0;
  } catch (const heddle::Error& error) {
    std::cerr << "heddle: " << error.what() << "\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "heddle: out of memory; use a smaller problem\n";
  }
  return 1;
}
