#include <fmt/format.h>

#include <cstring>
#include <span>

#include "common/error.h"
#include "common/files.h"
#include "host/cli/commands.h"
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

Command add_asm(CLI::App& app) {
  struct Options {
    std::string input;
    std::string output;
    std::string config;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  app.add_option("input", options->input, "assembly text")->required();
  app.add_option("-o,--output", options->output, "binary program: 16-byte words, little endian")->required();
  app.add_option("--config", options->config, "check fields for this configuration; default: the widest array");
  add_json(app, options->json);
  return [options] {
    const std::string text = read_text(options->input);
    const auto words = options->config.empty()
                           ? isa::assemble(text, options->input)
                           : isa::assemble(text, options->input, config::load(options->config).cols);
    write_atomically(options->output, std::as_bytes(std::span(words)));
    if (options->json) return print_json({{"words", words.size()}, {"output", options->output}});
    fmt::print("{} words written to {}\n", words.size(), options->output);
  };
}

Command add_disasm(CLI::App& app) {
  struct Options {
    std::string input;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  app.add_option("input", options->input, "binary program, as asm writes it")->required();
  add_json(app, options->json);
  return [options] {
    const auto words = read_program(options->input);
    if (!options->json) {
      fmt::print("{}", isa::disassemble(words));
      return;
    }
    Json lines = Json::array();
    for (const isa::Word& word : words) lines.push_back(isa::disassemble(word));
    print_json({{"words", words.size()}, {"instructions", lines}});
  };
}

}  // namespace heddle::cli
