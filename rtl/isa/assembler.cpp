#include "rtl/isa/assembler.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "common/error.h"
#include "rtl/isa/legality.h"

namespace heddle::isa {
namespace {

constexpr std::string_view kRawWord = ".word";

// A piece of the text without blanks, and where it stands.
struct Token {
  std::string_view text;
  std::size_t column;  // from 1
};

std::vector<Token> split(std::string_view line) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos || line[at] == '#') return tokens;
    const std::size_t end = std::min(line.find_first_of(" \t\r#", at), line.size());
    tokens.push_back({line.substr(at, end - at), at + 1});
    at = end;
  }
}

// Text in messages: printable and short, whatever the file holds.
std::string shown(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 40 ? "...'" : "'");
}

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16;
  if (text.starts_with("0b") || text.starts_with("0B")) base = 2;
  if (base != 10) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> parse_float(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    const auto bits = parse_integer(text);
    return bits && *bits <= 0xFFFFFFFFu ? std::optional(static_cast<std::uint32_t>(*bits)) : std::nullopt;
  }
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || std::isnan(value)) return std::nullopt;
  return std::bit_cast<std::uint32_t>(value);
}

std::string unit_names() {
  std::string names;
  for (std::size_t u = 0; u < kUnitCount; ++u) names += (u ? ", " : "") + std::string(to_string(static_cast<Unit>(u)));
  return names;
}

class Assembler {
 public:
  Assembler(std::string_view text, const std::string& origin, std::uint32_t cols)
      : text_(text), origin_(origin), cols_(cols) {}

  std::vector<Word> run() {
    std::vector<Word> words;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      ++line_;
      const auto tokens = split(text_.substr(at, end - at));
      if (!tokens.empty()) words.push_back(tokens[0].text == kRawWord ? raw_word(tokens) : instruction(tokens));
      at = end + 1;
    }
    return words;
  }

 private:
  [[noreturn]] void fail(const Token& token, const std::string& what) const {
    throw InputError(origin_ + ":" + std::to_string(line_) + ":" + std::to_string(token.column) + ": " + what);
  }

  Word raw_word(const std::vector<Token>& tokens) const {
    const Token& token = tokens.size() > 1 ? tokens[1] : tokens[0];
    if (tokens.size() > 2) fail(tokens[2], "unexpected " + shown(tokens[2].text) + " after the word");
    const auto digits = token.text.size() > 2 ? token.text.substr(2) : "";
    const bool hex = token.text.starts_with("0x") && !digits.empty() && digits.size() <= 32 &&
                     digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    if (!hex) fail(token, ".word needs 0x and 1 to 32 hexadecimal digits");
    const std::size_t low = std::min<std::size_t>(digits.size(), 16);
    Word word;
    word.lo = *parse_integer("0x" + std::string(digits.substr(digits.size() - low)));
    if (digits.size() > 16) word.hi = *parse_integer("0x" + std::string(digits.substr(0, digits.size() - 16)));
    return word;
  }

  Word instruction(const std::vector<Token>& tokens) const {
    std::string mnemonic(tokens[0].text);
    for (char& c : mnemonic)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    const InstructionInfo* info = find(mnemonic);
    if (!info) {
      std::string names;
      for (const auto& entry : table()) names += (names.empty() ? "" : ", ") + std::string(entry.name);
      fail(tokens[0], "there is no instruction " + shown(tokens[0].text) + "; the instructions are " + names);
    }
    Word word = insert({}, kOpcodeLsb, kOpcodeBits, static_cast<std::uint32_t>(info->opcode));
    for (const auto& field : info->fields) word = insert(word, field.lsb, field.bits, field.initial);
    std::set<std::string_view> seen;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      const FieldInfo& field = field_of(*info, tokens[i]);
      if (!seen.insert(field.name).second) fail(tokens[i], "the field " + std::string(field.name) + " appears twice");
      word = insert(word, field.lsb, field.bits, value_of(field, tokens[i]));
    }
    return word;
  }

  const FieldInfo& field_of(const InstructionInfo& info, const Token& token) const {
    const std::size_t equals = token.text.find('=');
    if (equals == std::string_view::npos) fail(token, shown(token.text) + " is not of the form field=value");
    const auto name = token.text.substr(0, equals);
    const auto place = std::find_if(info.fields.begin(), info.fields.end(),
                                    [&](const FieldInfo& field) { return field.name == name; });
    if (place != info.fields.end()) return *place;
    std::string names;
    for (const auto& field : info.fields) names += (names.empty() ? "" : ", ") + std::string(field.name);
    fail(token,
         std::string(info.name) + " has no field " + shown(name) + (names.empty() ? "" : "; its fields are " + names));
  }

  std::uint32_t value_of(const FieldInfo& field, const Token& token) const {
    const std::size_t skip = field.name.size() + 1;
    const Token value{token.text.substr(skip), token.column + skip};
    if (field.is_units) return units_of(value);
    if (field.is_float) {
      const auto bits = parse_float(value.text);
      if (!bits)
        fail(value, shown(value.text) + " is no fp32 number: write a decimal number, inf, -inf, or 0x and its bits");
      return *bits;
    }
    const std::string wanted = std::string(field.name) + " has to be " + describe_values(field, cols_);
    if (!field.values.empty()) {
      const auto place = std::find(field.values.begin(), field.values.end(), value.text);
      if (place == field.values.end()) fail(value, wanted + ", not " + shown(value.text));
      return static_cast<std::uint32_t>(place - field.values.begin());
    }
    const auto number = parse_integer(value.text);
    if (!number || *number > 0xFFFFFFFFu || !is_legal(field, static_cast<std::uint32_t>(*number), cols_))
      fail(value, wanted + ", not " + shown(value.text));
    return static_cast<std::uint32_t>(*number);
  }

  std::uint32_t units_of(const Token& list) const {
    std::uint32_t bits = 0;
    std::size_t at = 0;
    while (true) {
      const std::size_t end = std::min(list.text.find(',', at), list.text.size());
      const Token name{list.text.substr(at, end - at), list.column + at};
      std::size_t unit = 0;
      while (unit < kUnitCount && to_string(static_cast<Unit>(unit)) != name.text) ++unit;
      if (unit == kUnitCount) fail(name, "there is no unit " + shown(name.text) + "; the units are " + unit_names());
      if (bits >> unit & 1) fail(name, "the unit " + std::string(name.text) + " appears twice");
      bits |= 1u << unit;
      if (end == list.text.size()) return bits;
      at = end + 1;
    }
  }

  std::string_view text_;
  const std::string& origin_;
  std::uint32_t cols_;
  std::size_t line_ = 0;
};

std::string hex(std::uint64_t value, int digits) {
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 0xF];
  return text;
}

std::string unit_list(std::uint32_t bits) {
  std::string text;
  for (std::size_t u = 0; u < kUnitCount; ++u)
    if (bits >> u & 1) text += (text.empty() ? "" : ",") + std::string(to_string(static_cast<Unit>(u)));
  return text;
}

// The shortest decimal number that has these bits; NaN has no decimal form.
std::string float_text(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return "0x" + hex(bits, 8);
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "0x" + hex(bits, 8);
}

std::string value_text(const FieldInfo& field, std::uint32_t value) {
  if (field.is_units) return unit_list(value);
  if (field.is_float) return float_text(value);
  if (!field.values.empty()) return std::string(field.values[value]);
  return std::to_string(value);
}

}  // namespace

std::vector<Word> assemble(std::string_view text, const std::string& origin, std::uint32_t cols) {
  return Assembler(text, origin, cols).run();
}

std::string disassemble(Word word) {
  constexpr std::uint32_t kAnyColumns = 64;
  if (check_table(word, kAnyColumns) != Error::none)
    return std::string(kRawWord) + " 0x" + hex(word.hi, 16) + hex(word.lo, 16);
  const InstructionInfo& info = *find(opcode_bits(word));
  std::string line(info.name);
  for (const auto& field : info.fields) {
    const std::uint32_t value = extract(word, field.lsb, field.bits);
    if (value != field.initial && !field.is_units)
      line += " " + std::string(field.name) + "=" + value_text(field, value);
  }
  for (const auto& field : info.fields) {  // what orders instructions stands at the end of the line
    const std::uint32_t value = extract(word, field.lsb, field.bits);
    if (value != 0 && field.is_units) line += " " + std::string(field.name) + "=" + value_text(field, value);
  }
  return line;
}

std::string disassemble(std::span<const Word> words) {
  std::string text;
  for (const Word word : words) text += disassemble(word) + "\n";
  return text;
}

}  // namespace heddle::isa
