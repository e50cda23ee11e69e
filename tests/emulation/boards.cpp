#include "tests/emulation/boards.h"

#include <stdlib.h>

#include <stdexcept>

#include "common/files.h"
#include "driver/xclbin/emconfig.h"
#include "driver/xclbin/image.h"
#include "tests/emulation/case_file.h"

namespace heddle::testing_support {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSize = 48;  // of the product's sides

}  // namespace

Boards::Boards(const std::string& preset, unsigned boards) : config_(config::load(preset)) {
  std::string name = "/tmp/heddle-test-XXXXXX";  // short, because sockets lie below
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  directory_ = name;
  fs::create_directories(directory_ / "work");
  fs::create_directories(directory_ / "bin");
  fs::copy_file(XRT_RUN_PROGRAM, directory_ / "bin/run_program");  // XRT writes beside its program
  fs::create_directories(directory_ / "tmp");
  write_atomically(directory_ / "emconfig.json", xclbin::emconfig(config_, boards));
  write_atomically(directory_ / "board.xclbin", xclbin::make_emulated(config_, ""));
  emulation::write_product_case(directory_ / "case", config_, kSize, kSize, kSize);
}

Boards::~Boards() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

std::unique_ptr<Child> Boards::start(const std::vector<std::string>& arguments, const Variables& more) const {
  std::vector<std::string> command{(directory_ / "bin/run_program").string(), (directory_ / "board.xclbin").string(),
                                   (directory_ / "case").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Variables variables{{"XCL_EMULATION_MODE", "hw_emu"},
                      {"XILINX_XRT", XRT_ROOT},
                      {"EMCONFIG_PATH", directory_.string()},
                      {"HEDDLE_EMULATED_DEVICE", EMULATED_DEVICE},
                      {"TMPDIR", (directory_ / "tmp").string()}};
  for (const auto& [name, value] : more) variables[name] = value;
  return std::make_unique<Child>(command, variables, (directory_ / "work").string());
}

std::string Boards::leftovers() const {
  std::string names;
  for (const char* folder : {"work", "tmp", "bin"}) {
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / folder)) {
      if (entry.path().filename() != "run_program") names += entry.path().string() + "\n";
    }
  }
  return names;
}

}  // namespace heddle::testing_support
