// heddle: trains networks on the accelerator and its simulators, and looks inside.
#include <iostream>
#include <new>
#include <utility>
#include <vector>

#include "common/error.h"
#include "host/cli/commands.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app("Trains neural networks on the Heddle accelerator and its simulators.");
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, heddle::cli::Command>> commands;
  const auto add = [&](const char* name, const char* what, heddle::cli::Command (*make)(CLI::App&)) {
    CLI::App* command = app.add_subcommand(name, what);
    commands.emplace_back(command, make(*command));
  };
  add("train", "train a model", heddle::cli::add_train);
  add("eval", "evaluate a trained model", heddle::cli::add_eval);
  add("devices", "list the devices", heddle::cli::add_devices);
  add("gemm", "multiply two matrices", heddle::cli::add_gemm);
  add("asm", "assemble a program", heddle::cli::add_asm);
  add("disasm", "disassemble a program", heddle::cli::add_disasm);
  add("config", "print a configuration", heddle::cli::add_config);
  CLI11_PARSE(app, argc, argv);
  for (const auto& [command, action] : commands)
    if (command->parsed()) action();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const heddle::Error& error) {
    std::cerr << "heddle: " << error.what() << "\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "heddle: out of memory; use a smaller problem\n";
  }
  return 1;
}
