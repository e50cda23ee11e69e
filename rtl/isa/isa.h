// The instruction set for C++: one struct per instruction, encoder, decoder and the table itself.
//
// Everything here comes from rtl/isa/isa.toml (page: docs/isa.md). Structs hold field values as the table counts them;
// `encode` asserts that they fit their bits but does not check that they are legal: rtl/isa/legality.h does.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "isa/isa_generated.h"
#include "rtl/isa/word.h"

namespace heddle::isa {

constexpr Opcode opcode(const Instruction& instruction) {
  return std::visit([](const auto& i) { return i.kOpcode; }, instruction);
}

constexpr Word encode(const Instruction& instruction) {
  return std::visit([](const auto& i) { return encode(i); }, instruction);
}

// All instructions, opcode ascending.
std::span<const InstructionInfo> table();

// The entry of an opcode or of a mnemonic in upper case; null when there is none.
const InstructionInfo* find(std::uint32_t opcode);
const InstructionInfo* find(std::string_view mnemonic);

constexpr std::uint32_t opcode_bits(Word word) { return extract(word, kOpcodeLsb, kOpcodeBits); }

}  // namespace heddle::isa
