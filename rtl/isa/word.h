// An instruction word and its bits, and the types that describe the instruction table at run time.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace heddle::isa {

// 128 bits as they lie in memory: little endian, `lo` first.
struct Word {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  bool operator==(const Word&) const = default;
};

// The `bits` (1 to 32) bits of `word` from bit `lsb`.
constexpr std::uint32_t extract(Word word, unsigned lsb, unsigned bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t value = 0;
  if (lsb >= 64) {
    value = word.hi >> (lsb - 64);
  } else {
    value = word.lo >> lsb;
    if (lsb + bits > 64) value |= word.hi << (64 - lsb);
  }
  return static_cast<std::uint32_t>(value & mask);
}

// `word` with its `bits` bits from bit `lsb` replaced. The value has to fit.
constexpr Word insert(Word word, unsigned lsb, unsigned bits, std::uint32_t value) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  assert(value <= mask);
  const std::uint64_t v = value & mask;
  if (lsb >= 64) {
    word.hi = (word.hi & ~(mask << (lsb - 64))) | v << (lsb - 64);
    return word;
  }
  word.lo = (word.lo & ~(mask << lsb)) | v << lsb;
  if (lsb + bits > 64) word.hi = (word.hi & ~(mask >> (64 - lsb))) | v >> (64 - lsb);
  return word;
}

enum class Unit : std::uint8_t;
enum class Opcode : std::uint8_t;

// One field of an instruction. Legal values are min to max, a multiple of `multiple`; of an enumeration those that have
// a name.
struct FieldInfo {
  std::string_view name;
  unsigned lsb;
  unsigned bits;
  std::uint32_t min;
  std::uint32_t max;  // where `max_is_cols`, the largest that any configuration allows
  bool max_is_cols;   // the configuration's number of columns is the limit
  std::uint32_t multiple;
  std::uint32_t initial;                     // value where a program does not say one
  bool is_float;                             // an fp32 bit pattern
  bool is_units;                             // bit u stands for unit u (wait and post)
  std::span<const std::string_view> values;  // names from 0; empty unless an enumeration
  std::string_view meaning;
};

struct InstructionInfo {
  std::string_view name;
  Opcode opcode;
  Unit unit;       // Unit::none: the dispatcher itself
  bool is_prefix;  // modifies the instruction that follows
  std::span<const Opcode> prefix_of;
  std::span<const FieldInfo> fields;  // without the opcode, from the lowest bit up
  std::string_view meaning;
};

}  // namespace heddle::isa
