#include "rtl/isa/legality.h"

#include <algorithm>

namespace heddle::isa {
namespace {

std::uint32_t largest(const FieldInfo& field, std::uint32_t cols) { return field.max_is_cols ? cols : field.max; }

}  // namespace

bool is_legal(const FieldInfo& field, std::uint32_t value, std::uint32_t cols) {
  return value >= field.min && value <= largest(field, cols) && value % field.multiple == 0;
}

Word reserved_bits(const InstructionInfo& info) {
  Word reserved{~std::uint64_t{0}, ~std::uint64_t{0}};
  reserved = insert(reserved, kOpcodeLsb, kOpcodeBits, 0);
  for (const auto& field : info.fields) reserved = insert(reserved, field.lsb, field.bits, 0);
  return reserved;
}

Error check_table(Word word, std::uint32_t cols) {
  const InstructionInfo* info = find(opcode_bits(word));
  if (!info) return Error::illegal_opcode;
  const Word reserved = reserved_bits(*info);
  const bool legal = (word.lo & reserved.lo) == 0 && (word.hi & reserved.hi) == 0 &&
                     std::all_of(info->fields.begin(), info->fields.end(), [&](const FieldInfo& field) {
                       return is_legal(field, extract(word, field.lsb, field.bits), cols);
                     });
  return legal ? Error::none : Error::illegal_field;
}

std::string describe_values(const FieldInfo& field, std::uint32_t cols) {
  std::string text;
  if (!field.values.empty()) {
    for (const auto value : field.values) text += (text.empty() ? "one of " : ", ") + std::string(value);
    return text;
  }
  text = std::to_string(field.min) + " to " + std::to_string(largest(field, cols));
  if (field.multiple > 1) text += " in steps of " + std::to_string(field.multiple);
  return text;
}

}  // namespace heddle::isa
