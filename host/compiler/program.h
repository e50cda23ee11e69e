// A compiled program: words, the slots it expects, and the constants that may change from run to run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/compiler/footprint.h"
#include "rtl/isa/isa.h"

namespace heddle::compiler {

// A constant of a VOP prefix that the executor sets before a run: factor * value of `name`.
enum class ConstantName { learning_rate };
enum class ConstantField { imm_m, imm_a };
struct Constant {
  ConstantName name = ConstantName::learning_rate;
  ConstantField field = ConstantField::imm_m;
  float factor = 1;
};

struct Patch {
  std::size_t word = 0;
  isa::Vop vop;  // as it stands in the program
  Constant constant;
};

struct Program {
  std::vector<isa::Word> words;
  std::vector<Patch> patches;
  std::array<std::uint64_t, 16> slot_lines{};  // lines that the program touches; 0: not used
};

// The word with the constant's value put in.
isa::Word patched(const Patch& patch, float value);

}  // namespace heddle::compiler
