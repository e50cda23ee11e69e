// Whether a word satisfies the instruction table: known opcode, fields within their limits, zero bits outside of
// fields.
//
// These are the rules that need one word and the number of columns only. Rules between fields, ranges, tokens and tiles
// are in docs/design.md, section 6.
#pragma once

#include <cstdint>
#include <string>

#include "rtl/isa/isa.h"

namespace heddle::isa {

// Legal values of a field on a core of `cols` columns.
bool is_legal(const FieldInfo& field, std::uint32_t value, std::uint32_t cols);

// Error::none, illegal_opcode or illegal_field.
Error check_table(Word word, std::uint32_t cols);

// The bits of a word of this opcode that have to be zero.
Word reserved_bits(const InstructionInfo& info);

// The legal values in words: "1 to 4095", "one of pass, imm, b".
std::string describe_values(const FieldInfo& field, std::uint32_t cols);

}  // namespace heddle::isa
