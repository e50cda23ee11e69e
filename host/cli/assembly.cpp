#include <cstring>
#include <span>

#include "common/error.h"
#include "common/files.h"
#include "host/cli/commands.h"
#include "host/cli/json_object.h"
#include "host/cli/output.h"
#include "rtl/isa/assembler.h"

namespace heddle::cli {
namespace {

std::vector<isa::Word> read_program(const std::string& path) {
  const auto bytes = read_bytes(path);
  if (bytes.size() % sizeof(isa::Word) != 0)
    throw InputError(path + " has " + std::to_string(bytes.size()) +
                     " bytes; a program is a whole number of 16-byte words");
  std::vector<isa::Word> words(bytes.size() / sizeof(isa::Word));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace

void run(const AsmArguments& arguments) {
  require_different(arguments.input, arguments.output);
  require_writable(arguments.output);
  const std::string text = read_text(arguments.input);
  const auto words = arguments.config.empty()
                         ? isa::assemble(text, arguments.input)
                         : isa::assemble(text, arguments.input, config::load(arguments.config).cols);
  write_atomically(arguments.output, std::as_bytes(std::span(words)));
  if (arguments.json)
    return JsonObject().add("words", std::uint64_t{words.size()}).add("output", arguments.output).print();
  print("{} words written to {}\n", words.size(), arguments.output);
}

void run(const DisasmArguments& arguments) {
  const auto words = read_program(arguments.input);
  if (!arguments.json) {
    print("{}", isa::disassemble(words));
    return;
  }
  std::vector<std::string> lines;
  for (const isa::Word& word : words) lines.push_back(isa::disassemble(word));
  JsonObject().add("words", std::uint64_t{words.size()}).add("instructions", lines).print();
}

}  // namespace heddle::cli
