// heddle-isagen TABLE.toml OUTPUT_DIRECTORY: writes isa/isa_generated.{h,cpp}, heddle_isa_pkg.sv and docs/isa.md below
// OUTPUT_DIRECTORY.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "common/error.h"
#include "rtl/isa/generator/table.h"

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.flush();
  if (!file) throw heddle::InputError("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: heddle-isagen TABLE.toml OUTPUT_DIRECTORY\n";
    return 2;
  }
  try {
    const auto table = heddle::isagen::load(argv[1]);
    const std::filesystem::path directory = argv[2];
    write(directory / "isa/isa_generated.h", heddle::isagen::emit_header(table));
    write(directory / "isa/isa_generated.cpp", heddle::isagen::emit_source(table));
    write(directory / "heddle_isa_pkg.sv", heddle::isagen::emit_package(table));
    write(directory / "docs/isa.md", heddle::isagen::emit_page(table));
  } catch (const std::exception& error) {
    std::cerr << "heddle-isagen: " << error.what() << "\n";
    return 1;
  }
}
