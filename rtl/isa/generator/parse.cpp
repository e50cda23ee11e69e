#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "common/error.h"
#include "rtl/isa/generator/table.h"

namespace heddle::isagen {
namespace {

constexpr std::uint32_t kMaxColumns = 64;  // of any configuration

[[noreturn]] void fail(const std::string& where, const std::string& what) { throw InputError(where + ": " + what); }

std::uint32_t full(unsigned bits) { return bits >= 32 ? 0xFFFFFFFFu : (1u << bits) - 1; }

bool is_identifier(const std::string& text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; });
}

// One TOML table with typed access; every key has to be asked for, so that a misspelt one is found.
class Reader {
 public:
  Reader(const toml::table& table, std::string where) : table_(table), where_(std::move(where)) {}

  std::string text(const char* key) {
    const auto* node = get(key);
    if (!node) fail(where_, "the key '" + std::string(key) + "' is missing");
    const auto value = node->value_exact<std::string>();
    if (!value) fail(where_, "'" + std::string(key) + "' has to be a string");
    return *value;
  }
  std::uint32_t number(const char* key, std::uint32_t low, std::uint32_t high,
                       std::optional<std::uint32_t> missing = {}) {
    const auto* node = get(key);
    if (!node && missing) return *missing;
    const auto value = node ? node->value_exact<std::int64_t>() : std::nullopt;
    if (!value || *value < low || *value > high)
      fail(where_, "'" + std::string(key) + "' has to be an integer from " + std::to_string(low) + " to " +
                       std::to_string(high));
    return static_cast<std::uint32_t>(*value);
  }
  bool flag(const char* key, bool missing) {
    const auto* node = get(key);
    if (!node) return missing;
    const auto value = node->value_exact<bool>();
    if (!value) fail(where_, "'" + std::string(key) + "' has to be true or false");
    return *value;
  }
  std::vector<std::string> texts(const char* key) {
    const auto* node = get(key);
    std::vector<std::string> result;
    if (!node) return result;
    if (!node->is_array() || node->as_array()->empty())
      fail(where_, "'" + std::string(key) + "' has to be a list of strings");
    for (const auto& item : *node->as_array()) {
      const auto value = item.value_exact<std::string>();
      if (!value) fail(where_, "'" + std::string(key) + "' has to be a list of strings");
      result.push_back(*value);
    }
    return result;
  }
  std::vector<const toml::table*> tables(const char* key) {
    const auto* node = get(key);
    std::vector<const toml::table*> result;
    if (!node) return result;
    if (!node->is_array()) fail(where_, "'" + std::string(key) + "' has to be a list of tables");
    for (const auto& item : *node->as_array()) {
      if (!item.is_table()) fail(where_, "'" + std::string(key) + "' has to be a list of tables");
      result.push_back(item.as_table());
    }
    return result;
  }
  bool is_text(const char* key) const { return table_[key].is_string(); }
  void finish() const {
    for (const auto& [key, node] : table_)
      if (!used_.contains(std::string(key.str()))) fail(where_, "unknown key '" + std::string(key.str()) + "'");
  }

 private:
  const toml::node* get(const char* key) {
    used_.insert(key);
    return table_.get(key);
  }
  const toml::table& table_;
  std::string where_;
  std::set<std::string> used_;
};

void require_identifier(const std::string& where, const std::string& name) {
  if (!is_identifier(name)) fail(where, "'" + name + "' is no name: use lower-case letters, digits and _");
}

Field parse_field(const toml::table& table, const std::string& owner, unsigned word_bits) {
  Reader name_reader(table, owner + ": a field");
  Field field;
  field.name = name_reader.text("name");
  const std::string where = owner + ", field '" + field.name + "'";
  require_identifier(where, field.name);
  Reader reader(table, where);
  reader.text("name");
  field.lsb = reader.number("lsb", 0, word_bits - 1);
  field.bits = reader.number("bits", 1, 32);
  if (field.lsb + field.bits > word_bits)
    fail(where, "its bits " + std::to_string(field.lsb) + " to " + std::to_string(field.lsb + field.bits - 1) +
                    " do not fit into a word of " + std::to_string(word_bits));
  field.meaning = reader.text("meaning");
  field.min = reader.number("min", 0, full(field.bits), 0);
  if (reader.is_text("max")) {
    if (reader.text("max") != "cols") fail(where, "'max' has to be an integer or \"cols\"");
    field.max_is_cols = true;
    field.max = kMaxColumns;
    if (full(field.bits) < kMaxColumns) fail(where, "its bits cannot hold " + std::to_string(kMaxColumns) + " columns");
  } else {
    field.max = reader.number("max", 0, full(field.bits), full(field.bits));
  }
  if (field.min > field.max) fail(where, "'min' is above 'max'");
  field.multiple = reader.number("multiple", 1, full(field.bits), 1);
  if (field.max / field.multiple * field.multiple < field.min) fail(where, "no value is legal");
  field.is_float = reader.flag("float", false);
  if (field.is_float && field.bits != 32) fail(where, "a float has 32 bits");
  field.values = reader.texts("values");
  if (field.values.size() > std::size_t{full(field.bits)} + 1 && field.bits < 32)
    fail(where,
         std::to_string(field.values.size()) + " values do not fit into " + std::to_string(field.bits) + " bits");
  std::set<std::string> names;
  for (const auto& value : field.values) {
    require_identifier(where, value);
    if (!names.insert(value).second) fail(where, "the value '" + value + "' appears twice");
  }
  if (!field.values.empty()) field.max = static_cast<std::uint32_t>(field.values.size() - 1);
  const std::uint32_t first = (field.min + field.multiple - 1) / field.multiple * field.multiple;
  field.initial = reader.number("initial", field.min, field.max, first);
  if (field.initial % field.multiple != 0) fail(where, "'initial' is no multiple of " + std::to_string(field.multiple));
  reader.finish();
  return field;
}

void check_overlaps(const std::vector<Field>& fields, const Field& opcode, const std::string& where) {
  std::map<unsigned, std::string> owner;
  std::set<std::string> names;
  const auto claim = [&](const Field& field) {
    if (!names.insert(field.name).second) fail(where, "the field '" + field.name + "' appears twice");
    for (unsigned bit = field.lsb; bit < field.lsb + field.bits; ++bit) {
      const auto [place, fresh] = owner.emplace(bit, field.name);
      if (!fresh)
        fail(where,
             "the fields '" + place->second + "' and '" + field.name + "' overlap at bit " + std::to_string(bit));
    }
  };
  claim(opcode);
  for (const auto& field : fields) claim(field);
}

std::vector<Entry> parse_entries(Reader& root, const char* kind, const std::string& path, const char* code_key) {
  std::vector<Entry> entries;
  std::set<std::string> names;
  for (const auto* table : root.tables(kind)) {
    const std::string where = path + ": " + kind + " " + std::to_string(entries.size());
    Reader reader(*table, where);
    Entry entry;
    entry.name = reader.text("name");
    require_identifier(where, entry.name);
    entry.meaning = reader.text("meaning");
    entry.code = static_cast<std::uint32_t>(entries.size());
    if (code_key && reader.number(code_key, 0, 255) != entry.code)
      fail(where, "'" + std::string(code_key) + "' of '" + entry.name + "' has to be " + std::to_string(entry.code) +
                      ": codes ascend from 0 without gaps");
    if (!names.insert(entry.name).second) fail(where, "'" + entry.name + "' appears twice");
    reader.finish();
    entries.push_back(entry);
  }
  if (entries.empty()) fail(path, "there is no [[" + std::string(kind) + "]]");
  return entries;
}

Instruction parse_instruction(const toml::table& source, const std::string& path, const std::vector<Field>& header,
                              const Table& table) {
  Reader reader(source, path + ": an instruction");
  Instruction result;
  result.mnemonic = reader.text("mnemonic");
  const std::string where = path + ": " + result.mnemonic;
  if (result.mnemonic != upper(result.mnemonic) || !is_identifier(lower(result.mnemonic)))
    fail(where, "a mnemonic consists of upper-case letters, digits and _");
  Reader named(source, where);
  named.text("mnemonic");
  result.opcode = named.number("opcode", 1, full(table.opcode.bits));
  result.unit = named.text("unit");
  const bool known = result.unit == "none" || std::any_of(table.units.begin(), table.units.end(),
                                                          [&](const Entry& unit) { return unit.name == result.unit; });
  if (!known) fail(where, "there is no unit '" + result.unit + "'");
  result.sync = named.flag("sync", false);
  if (result.sync != (result.unit != "none"))
    fail(where, "'sync' has to be true for instructions of units, and only there");
  result.prefix_of = named.texts("prefix");
  result.meaning = named.text("meaning");
  if (result.sync) result.fields = header;
  for (const auto* field : named.tables("field")) result.fields.push_back(parse_field(*field, where, table.word_bits));
  check_overlaps(result.fields, table.opcode, where);
  std::stable_sort(result.fields.begin(), result.fields.end(),
                   [](const Field& a, const Field& b) { return a.lsb < b.lsb; });
  named.finish();
  return result;
}

void check_instructions(const Table& table, const std::string& path) {
  std::map<std::uint32_t, std::string> opcodes;
  std::set<std::string> mnemonics;
  for (const auto& instruction : table.instructions) {
    const auto [place, fresh] = opcodes.emplace(instruction.opcode, instruction.mnemonic);
    if (!fresh)
      fail(path, place->second + " and " + instruction.mnemonic + " have the same opcode " +
                     std::to_string(instruction.opcode));
    if (!mnemonics.insert(instruction.mnemonic).second) fail(path, instruction.mnemonic + " is defined twice");
  }
  std::map<std::string, std::string> prefix_of;
  for (const auto& instruction : table.instructions) {
    for (const auto& target : instruction.prefix_of) {
      if (!mnemonics.contains(target))
        fail(path, instruction.mnemonic + " is a prefix of " + target + ", which does not exist");
      if (instruction.unit != "none") fail(path, instruction.mnemonic + " is a prefix and cannot belong to a unit");
      const auto [place, fresh] = prefix_of.emplace(target, instruction.mnemonic);
      if (!fresh) fail(path, target + " has two prefixes: " + place->second + " and " + instruction.mnemonic);
    }
  }
}

}  // namespace

std::string lower(const std::string& name) {
  std::string result = name;
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string upper(const std::string& name) {
  std::string result = name;
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string camel(const std::string& name) {
  std::string result;
  bool start = true;
  for (char c : lower(name)) {
    if (c == '_') {
      start = true;
      continue;
    }
    result += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = false;
  }
  return result;
}

Table load(const std::string& path) {
  toml::table source;
  try {
    source = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    fail(path + ":" + std::to_string(error.source().begin.line) + ":" + std::to_string(error.source().begin.column),
         std::string(error.description()));
  }
  Reader root(source, path);
  Table table;
  table.version = root.number("version", 1, 0xFFFF);
  table.word_bits = root.number("word_bits", 128, 128);
  table.units = parse_entries(root, "unit", path, "index");
  table.errors = parse_entries(root, "error", path, "code");
  table.counters = parse_entries(root, "counter", path, nullptr);

  const auto* header_node = source["header"].as_table();
  if (!header_node) fail(path, "the table [header] is missing");
  Reader header_reader(*header_node, path + ": header");
  std::vector<Field> header;
  std::optional<Field> opcode;
  for (const auto* node : header_reader.tables("field")) {
    Field field = parse_field(*node, path + ": header", table.word_bits);
    if (field.name == "opcode") {
      opcode = field;
      continue;
    }
    field.is_units = field.name == "wait" || field.name == "post";
    if (field.is_units && field.bits != table.units.size())
      fail(path + ": header, field '" + field.name + "'",
           "needs one bit per unit: " + std::to_string(table.units.size()));
    header.push_back(field);
  }
  header_reader.finish();
  if (!opcode) fail(path + ": header", "the field 'opcode' is missing");
  table.opcode = *opcode;

  for (const auto* node : root.tables("instruction"))
    table.instructions.push_back(parse_instruction(*node, path, header, table));
  if (table.instructions.empty()) fail(path, "there is no [[instruction]]");
  (void)root.tables("instruction");
  std::sort(table.instructions.begin(), table.instructions.end(),
            [](const Instruction& a, const Instruction& b) { return a.opcode < b.opcode; });
  check_instructions(table, path);
  for (const auto& [key, node] : source) {
    static const std::set<std::string> known{"version", "word_bits", "unit",       "error",
                                             "counter", "header",    "instruction"};
    if (!known.contains(std::string(key.str()))) fail(path, "unknown key '" + std::string(key.str()) + "'");
  }
  return table;
}

}  // namespace heddle::isagen
