// Writes programs for tests: `Program() << load << vec` ends with HALT when it is used.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl/isa/isa.h"
#include "sim/functional/core.h"

namespace heddle::test {

constexpr std::uint32_t bit(isa::Unit unit) { return 1U << static_cast<unsigned>(unit); }

class Program {
 public:
  template <typename T>
  Program& operator<<(const T& instruction) {
    words_.push_back(isa::encode(instruction));
    return *this;
  }
  Program& operator<<(isa::Word word) {
    words_.push_back(word);
    return *this;
  }
  std::vector<isa::Word> halted() const {
    std::vector<isa::Word> words = words_;
    words.push_back(isa::encode(isa::Halt{}));
    return words;
  }
  const std::vector<isa::Word>& words() const { return words_; }

 private:
  std::vector<isa::Word> words_;
};

inline config::Config config_of(std::uint32_t cols) {
  config::Config config = config::load("sim");
  config.cols = cols;
  config.ub_lines = 1024;
  config.acc_rows = 64;
  return config;
}

// Device memory for slots 0 and 1.
struct Memory {
  std::vector<std::byte> content[2] = {std::vector<std::byte>(64 * 64), std::vector<std::byte>(64 * 64)};
  sim::Slots slots() {
    sim::Slots result;
    result[0] = content[0];
    result[1] = content[1];
    return result;
  }
};

}  // namespace heddle::test
