// Text to words and back.
//
//   # a comment up to the end of the line
//   LOAD slot=1 mem_line=0 buf_line=64 n0=4 n1=8 wait=vector post=wload,mxu
//   VOP mul=imm imm_m=0.5 func=relu
//
// One instruction a line; fields in any order, each at most once, those left out have their initial value. Integers are
// decimal, 0x or 0b; enumerations are names; wait and post are lists of units; float fields are decimal numbers, inf,
// or 0x and bits.
// `.word 0x...` is a word of 128 bits as it stands: how the disassembler shows what the other forms cannot say.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rtl/isa/isa.h"

namespace heddle::isa {

// Throws InputError that says `origin`, line, column, what is wrong and what would be right. Fields are checked against
// the table for a core of `cols` columns.
std::vector<Word> assemble(std::string_view text, const std::string& origin, std::uint32_t cols = 64);

// One line without its end. Assembling it gives the same word again. Fields that have their initial value are left out.
std::string disassemble(Word word);

// One instruction a line.
std::string disassemble(std::span<const Word> words);

}  // namespace heddle::isa
