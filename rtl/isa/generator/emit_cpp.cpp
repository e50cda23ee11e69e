#include <sstream>

#include "rtl/isa/generator/table.h"

namespace heddle::isagen {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

void emit_enum(std::ostringstream& out, const std::string& name, const std::vector<Entry>& entries, bool with_none) {
  out << "enum class " << name << " : std::uint8_t {\n";
  for (const auto& entry : entries)
    out << "  " << entry.name << " = " << entry.code << ",  // " << entry.meaning << "\n";
  if (with_none) out << "  none = " << entries.size() << ",  // the dispatcher itself\n";
  out << "};\n";
  out << "inline constexpr std::size_t k" << name << "Count = " << entries.size() << ";\n";
  out << "// The name in the table; \"?\" for a value that has none.\n";
  out << "std::string_view to_string(" << name << " value);\n\n";
}

void emit_struct(std::ostringstream& out, const Instruction& instruction) {
  const std::string type = camel(instruction.mnemonic);
  out << "// " << instruction.meaning << "\nstruct " << type << " {\n";
  out << "  static constexpr Opcode kOpcode = Opcode::" << lower(instruction.mnemonic) << ";\n";
  for (const auto& field : instruction.fields) {
    if (field.values.empty()) continue;
    out << "  enum class " << camel(field.name) << " : std::uint8_t {";
    for (std::size_t i = 0; i < field.values.size(); ++i) out << (i ? ", " : " ") << field.values[i];
    out << " };\n";
  }
  for (const auto& field : instruction.fields) {
    if (field.values.empty())
      out << "  std::uint32_t " << field.name << " = " << field.initial << ";";
    else
      out << "  " << camel(field.name) << " " << field.name << " = " << camel(field.name)
          << "::" << field.values[field.initial] << ";";
    out << "  // " << field.meaning << "\n";
  }
  out << "  bool operator==(const " << type << "&) const = default;\n};\n";
  out << "constexpr Word encode(const " << type << "&" << (instruction.fields.empty() ? "" : " x")
      << ") {\n  Word w;\n";
  out << "  w = insert(w, kOpcodeLsb, kOpcodeBits, " << instruction.opcode << ");\n";
  for (const auto& field : instruction.fields) {
    const std::string value =
        field.values.empty() ? "x." + field.name : "static_cast<std::uint32_t>(x." + field.name + ")";
    out << "  w = insert(w, " << field.lsb << ", " << field.bits << ", " << value << ");\n";
  }
  out << "  return w;\n}\n\n";
}

void emit_decode(std::ostringstream& out, const Table& table) {
  out << "// The instruction of a word; nothing if no instruction has its opcode. Does not check legality: an "
         "enumeration may\n"
         "// hold a value without a name, and bits outside of fields are ignored.\n"
         "constexpr std::optional<Instruction> decode(Word w) {\n  switch (extract(w, kOpcodeLsb, kOpcodeBits)) {\n";
  for (const auto& instruction : table.instructions) {
    out << "    case " << instruction.opcode << ": {\n      " << camel(instruction.mnemonic) << " x;\n";
    for (const auto& field : instruction.fields) {
      const std::string bits = "extract(w, " + std::to_string(field.lsb) + ", " + std::to_string(field.bits) + ")";
      if (field.values.empty())
        out << "      x." << field.name << " = " << bits << ";\n";
      else
        out << "      x." << field.name << " = static_cast<" << camel(instruction.mnemonic) << "::" << camel(field.name)
            << ">(" << bits << ");\n";
    }
    out << "      return x;\n    }\n";
  }
  out << "    default:\n      return std::nullopt;\n  }\n}\n\n";
}

void emit_names(std::ostringstream& out, const std::string& type, const std::vector<Entry>& entries, bool with_none) {
  out << "std::string_view to_string(" << type << " value) {\n  switch (value) {\n";
  for (const auto& entry : entries)
    out << "    case " << type << "::" << entry.name << ": return " << quoted(entry.name) << ";\n";
  if (with_none) out << "    case " << type << "::none: return \"none\";\n";
  out << "  }\n  return \"?\";\n}\n\n";
}

void emit_meanings(std::ostringstream& out, const Table& table) {
  out << "std::string_view meaning(Error value) {\n  switch (value) {\n";
  for (const auto& entry : table.errors)
    out << "    case Error::" << entry.name << ": return " << quoted(entry.meaning) << ";\n";
  out << "  }\n  return \"?\";\n}\n\n";
}

std::string boolean(bool value) { return value ? "true" : "false"; }

void emit_info(std::ostringstream& out, const Instruction& instruction) {
  const std::string type = camel(instruction.mnemonic);
  for (const auto& field : instruction.fields) {
    if (field.values.empty()) continue;
    out << "constexpr std::string_view k" << type << camel(field.name) << "[] = {";
    for (std::size_t i = 0; i < field.values.size(); ++i) out << (i ? ", " : "") << quoted(field.values[i]);
    out << "};\n";
  }
  if (!instruction.fields.empty()) {
    out << "constexpr FieldInfo k" << type << "Fields[] = {\n";
    for (const auto& field : instruction.fields)
      out << "    {" << quoted(field.name) << ", " << field.lsb << ", " << field.bits << ", " << field.min << "u, "
          << field.max << "u, " << boolean(field.max_is_cols) << ", " << field.multiple << ", " << field.initial
          << "u, " << boolean(field.is_float) << ", " << boolean(field.is_units) << ", "
          << (field.values.empty() ? "{}" : "k" + type + camel(field.name)) << ",\n     " << quoted(field.meaning)
          << "},\n";
    out << "};\n";
  }
  if (!instruction.prefix_of.empty()) {
    out << "constexpr Opcode k" << type << "PrefixOf[] = {";
    for (std::size_t i = 0; i < instruction.prefix_of.size(); ++i)
      out << (i ? ", " : "") << "Opcode::" << lower(instruction.prefix_of[i]);
    out << "};\n";
  }
}

}  // namespace

std::string emit_header(const Table& table) {
  std::ostringstream out;
  out << "// Generated by heddle-isagen from rtl/isa/isa.toml. Change the table, not this file.\n"
         "// Include \"rtl/isa/isa.h\".\n#pragma once\n\n"
         "#include <cstddef>\n#include <cstdint>\n#include <optional>\n#include <string_view>\n#include <variant>\n\n"
         "#include \"rtl/isa/word.h\"\n\nnamespace heddle::isa {\n\n";
  out << "inline constexpr std::uint32_t kVersion = " << table.version << ";\n";
  out << "inline constexpr unsigned kOpcodeLsb = " << table.opcode.lsb << ";\n";
  out << "inline constexpr unsigned kOpcodeBits = " << table.opcode.bits << ";\n\n";
  emit_enum(out, "Unit", table.units, true);
  emit_enum(out, "Error", table.errors, false);
  out << "std::string_view meaning(Error value);\n\n";
  emit_enum(out, "Counter", table.counters, false);
  out << "enum class Opcode : std::uint8_t {\n";
  for (const auto& instruction : table.instructions)
    out << "  " << lower(instruction.mnemonic) << " = " << instruction.opcode << ",\n";
  out << "};\n\n";
  for (const auto& instruction : table.instructions) emit_struct(out, instruction);
  out << "using Instruction = std::variant<";
  for (std::size_t i = 0; i < table.instructions.size(); ++i)
    out << (i ? ", " : "") << camel(table.instructions[i].mnemonic);
  out << ">;\n\n";
  emit_decode(out, table);
  out << "}  // namespace heddle::isa\n";
  return out.str();
}

std::string emit_source(const Table& table) {
  std::ostringstream out;
  out << "// Generated by heddle-isagen from rtl/isa/isa.toml. Change the table, not this file.\n"
         "#include \"rtl/isa/isa.h\"\n\nnamespace heddle::isa {\nnamespace {\n\n";
  for (const auto& instruction : table.instructions) emit_info(out, instruction);
  out << "\nconstexpr InstructionInfo kTable[] = {\n";
  for (const auto& instruction : table.instructions) {
    const std::string type = camel(instruction.mnemonic);
    out << "    {" << quoted(instruction.mnemonic) << ", Opcode::" << lower(instruction.mnemonic)
        << ", Unit::" << instruction.unit << ", " << boolean(!instruction.prefix_of.empty()) << ", "
        << (instruction.prefix_of.empty() ? "{}" : "k" + type + "PrefixOf") << ", "
        << (instruction.fields.empty() ? "{}" : "k" + type + "Fields") << ",\n     " << quoted(instruction.meaning)
        << "},\n";
  }
  out << "};\n\n}  // namespace\n\nstd::span<const InstructionInfo> table() { return kTable; }\n\n";
  emit_names(out, "Unit", table.units, true);
  emit_names(out, "Error", table.errors, false);
  emit_meanings(out, table);
  emit_names(out, "Counter", table.counters, false);
  out << "}  // namespace heddle::isa\n";
  return out.str();
}

}  // namespace heddle::isagen
