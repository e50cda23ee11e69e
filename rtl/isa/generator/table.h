// The instruction table as read from TOML. `load` rejects what could not work; emitters rely on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::isagen {

struct Entry {  // a unit, an error or a counter
  std::string name;
  std::uint32_t code = 0;
  std::string meaning;
};

struct Field {
  std::string name;
  unsigned lsb = 0;
  unsigned bits = 0;
  std::uint32_t min = 0;
  std::uint32_t max = 0;  // the largest that the bits hold, unless given
  bool max_is_cols = false;
  std::uint32_t multiple = 1;
  std::uint32_t initial = 0;
  bool is_float = false;
  bool is_units = false;
  std::vector<std::string> values;
  std::string meaning;
};

struct Instruction {
  std::string mnemonic;
  std::uint32_t opcode = 0;
  std::string unit;
  bool sync = false;
  std::vector<std::string> prefix_of;
  std::string meaning;
  std::vector<Field> fields;  // header fields but the opcode first (where sync), then its own; from the lowest bit up
};

struct Table {
  std::uint32_t version = 0;
  unsigned word_bits = 128;
  std::vector<Entry> units, errors, counters;
  Field opcode;
  std::vector<Instruction> instructions;  // opcode ascending
};

// Throws InputError with file, instruction, field and what is wrong.
Table load(const std::string& path);

std::string camel(const std::string& name);  // "a_kind" -> "AKind", "LOAD" -> "Load"
std::string lower(const std::string& name);
std::string upper(const std::string& name);

std::string emit_header(const Table& table);
std::string emit_source(const Table& table);
std::string emit_package(const Table& table);
std::string emit_page(const Table& table);

}  // namespace heddle::isagen
