// What a test of emulated boards works with: an xclbin, a case, and a directory in which nothing may be left.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "tests/emulation/child.h"

namespace heddle::testing_support {

class Boards {
 public:
  // `boards` boards of a preset, and a product that keeps the tiny core busy for some thousand cycles.
  explicit Boards(const std::string& preset, unsigned boards = 1);
  ~Boards();
  Boards(const Boards&) = delete;
  Boards& operator=(const Boards&) = delete;

  // Starts run_program with further arguments.
  std::unique_ptr<Child> start(const std::vector<std::string>& arguments = {}, const Variables& more = {}) const;

  // Names of files that programs left behind; empty if there are none.
  std::string leftovers() const;

  const config::Config& configuration() const { return config_; }

 private:
  config::Config config_;
  std::filesystem::path directory_;
};

}  // namespace heddle::testing_support
