// heddle-bitstream CARD.toml --output FOLDER --fixed FOLDER SOURCES...: what a card's owner runs with Vitis.
#include <CLI/CLI.hpp>
#include <iostream>

#include "bitstreams/generate.h"
#include "common/error.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  fs::path card, output, fixed;
  std::vector<fs::path> sources;
  CLI::App app{"Writes the folder that a machine with Vitis builds a card's xclbin from"};
  app.add_option("card", card, "description of the card")->required();
  app.add_option("sources", sources, "SystemVerilog, packages first")->required();
  app.add_option("--output", output, "folder to write")->required();
  app.add_option("--fixed", fixed, "folder with build.mk and the Tcl scripts")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    heddle::bitstreams::generate(heddle::bitstreams::load_card(card), sources, fixed, output);
  } catch (const std::exception& error) {
    std::cerr << "heddle-bitstream: " << error.what() << "\n";
    return 1;
  }
}
