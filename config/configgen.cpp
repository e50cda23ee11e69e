// heddle-configgen PRESET_OR_PATH OUTPUT.sv: writes the SystemVerilog package of one configuration.
#include <filesystem>
#include <iostream>

#include "common/error.h"
#include "common/files.h"
#include "config/config.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: heddle-configgen PRESET_OR_PATH OUTPUT.sv\n";
    return 2;
  }
  try {
    const std::filesystem::path output = argv[2];
    if (output.has_parent_path()) std::filesystem::create_directories(output.parent_path());
    heddle::write_atomically(output, heddle::config::to_package(heddle::config::load(argv[1])));
  } catch (const std::exception& error) {
    std::cerr << "heddle-configgen: " << error.what() << "\n";
    return 1;
  }
}
