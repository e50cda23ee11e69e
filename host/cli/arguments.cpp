#include "host/cli/arguments.h"

#include <CLI/CLI.hpp>

namespace heddle::cli {
namespace {

constexpr char kDataHelp[] = "fashion-mnist, mnist, or a directory with the four IDX files";
constexpr char kConfigHelp[] = "configuration: a preset's name or a TOML file";

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "print one JSON object as the last line of standard output");
}

void add_device(CLI::App& app, DeviceChoice& choice) {
  app.add_option("--device", choice.device, "verilated (the RTL, cycle by cycle) or functional (bit-exact model)")
      ->capture_default_str();
  app.add_option("--config", choice.config, kConfigHelp)->capture_default_str();
  app.add_option("--waves", choice.waves, "verilated: write an FST wave file");
  app.add_option("--stall", choice.stall_percent, "verilated: percent of random back-pressure everywhere")
      ->check(CLI::Range(0, 95));
}

void add_options(CLI::App& app, TrainArguments& x) {
  app.add_option("model", x.model, "model description (JSON)")->required();
  app.add_option("--data", x.data, kDataHelp)->required();
  app.add_option("--epochs", x.epochs, "passes over the training samples; default: 1, or what --steps takes")
      ->check(CLI::PositiveNumber);
  app.add_option("--steps", x.steps, "stop after this many steps")->check(CLI::PositiveNumber);
  app.add_option("--batch-size", x.batch_size, "samples of a step; default: the model's")->check(CLI::PositiveNumber);
  app.add_option("--learning-rate", x.learning_rate, "default: the model's")->check(CLI::NonNegativeNumber);
  app.add_option("--seed", x.seed, "of weights and order")->capture_default_str();
  app.add_option("--save", x.save, "write the weights to this file (safetensors)");
  add_device(app, x.device);
  add_json(app, x.json);
}

void add_options(CLI::App& app, EvalArguments& x) {
  app.add_option("model", x.model, "model description (JSON)")->required();
  app.add_option("--weights", x.weights, "weights that train --save wrote")->required();
  app.add_option("--data", x.data, kDataHelp)->required();
  app.add_option("--batch-size", x.batch_size, "samples of a step; default: the model's")->check(CLI::PositiveNumber);
  add_device(app, x.device);
  add_json(app, x.json);
}

void add_options(CLI::App& app, DevicesArguments& x) {
  app.add_option("--config", x.config, kConfigHelp)->capture_default_str();
  add_json(app, x.json);
}

void add_options(CLI::App& app, GemmArguments& x) {
  constexpr std::uint64_t kSizeLimit = std::uint64_t{1} << 24;
  const auto size = CLI::Range(std::uint64_t{0}, kSizeLimit);
  app.add_option("--m", x.shape.m, "rows of A and C")->required()->check(size);
  app.add_option("--n", x.shape.n, "columns of B and C")->required()->check(size);
  app.add_option("--k", x.shape.k, "columns of A, rows of B")->required()->check(size);
  app.add_flag("--ta", x.shape.transpose_a, "A is stored transposed, k x m");
  app.add_flag("--tb", x.shape.transpose_b, "B is stored transposed, n x k");
  app.add_option("--seed", x.seed, "of the operands")->capture_default_str();
  app.add_option("--data", x.data, "the operands' values")
      ->check(CLI::IsMember({"random", "adversarial"}))
      ->capture_default_str();
  app.add_flag("--check", x.check, "compare every bit with a plain reference");
  add_device(app, x.device);
  add_json(app, x.json);
}

void add_options(CLI::App& app, AsmArguments& x) {
  app.add_option("input", x.input, "assembly text")->required();
  app.add_option("-o,--output", x.output, "binary program: 16-byte words, little endian")->required();
  app.add_option("--config", x.config, "check fields for this configuration; default: the widest array");
  add_json(app, x.json);
}

void add_options(CLI::App& app, DisasmArguments& x) {
  app.add_option("input", x.input, "binary program, as asm writes it")->required();
  add_json(app, x.json);
}

void add_options(CLI::App& app, ConfigArguments& x) {
  app.add_option("name", x.name, "a preset's name or a TOML file")->capture_default_str();
  app.add_flag("--list", x.list, "the names of the presets instead");
  add_json(app, x.json);
}

// The subcommands, each with the arguments that its options fill.
class Parser {
 public:
  Parser() : app_("Trains neural networks on the Heddle accelerator and its simulators.") {
    app_.require_subcommand(1);
    add("train", "train a model", train_);
    add("eval", "evaluate a trained model", eval_);
    add("devices", "list the devices", devices_);
    add("gemm", "multiply two matrices", gemm_);
    add("asm", "assemble a program", asm_);
    add("disasm", "disassemble a program", disasm_);
    add("config", "print a configuration", config_);
  }

  std::optional<Arguments> parse(int argc, char** argv, int& exit_code) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      exit_code = app_.exit(error);
      return std::nullopt;
    }
    return chosen_;
  }

 private:
  template <typename T>
  void add(const char* name, const char* what, T& arguments) {
    CLI::App* command = app_.add_subcommand(name, what);
    add_options(*command, arguments);
    command->callback([this, &arguments] { chosen_ = arguments; });
  }

  CLI::App app_;
  TrainArguments train_;
  EvalArguments eval_;
  DevicesArguments devices_;
  GemmArguments gemm_;
  AsmArguments asm_;
  DisasmArguments disasm_;
  ConfigArguments config_;
  std::optional<Arguments> chosen_;
};

}  // namespace

std::unique_ptr<driver::Device> DeviceChoice::open() const {
  driver::DeviceOptions options;
  options.stall_percent = stall_percent;
  options.waves = waves;
  return driver::open_device(device, heddle::config::load(config), options);
}

std::optional<Arguments> parse_arguments(int argc, char** argv, int& exit_code) {
  return Parser().parse(argc, argv, exit_code);
}

}  // namespace heddle::cli
