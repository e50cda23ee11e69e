// Uses what an installed Heddle offers to other programs.
#include <cstdio>

#include "config/config.h"
#include "rtl/isa/assembler.h"

int main() {
  const auto config = heddle::config::load("sim");
  const auto words = heddle::isa::assemble("HALT", "text", config.cols);
  std::printf("%s: %s", config.name.c_str(), heddle::isa::disassemble(words).c_str());
}
