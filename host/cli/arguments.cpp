#include "host/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "host/cli/output.h"

namespace heddle::cli {
namespace {

constexpr char kDataHelp[] = "fashion-mnist, mnist, or a directory with the four IDX files";
constexpr char kConfigHelp[] = "configuration: a preset's name or a TOML file";

constexpr std::uint64_t kMaximum = std::numeric_limits<std::uint64_t>::max();

// All of `text` as a decimal number.
template <typename T>
std::optional<T> number(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

// The library alone takes -1 for 2^64 - 1 and 010 for 8; this leaves it a plain number.
CLI::Validator whole(std::uint64_t low, std::uint64_t high = kMaximum) {
  const std::string range = high == kMaximum ? fmt::format("from {}", low) : fmt::format("from {} to {}", low, high);
  return {[=](std::string& text) -> std::string {
            const auto value = number<std::uint64_t>(text);
            if (!value || *value < low || *value > high)
              return fmt::format("{} is not a whole number {}{}", text, range, high == kMaximum ? " to 2^64-1" : "");
            text = std::to_string(*value);
            return {};
          },
          range};
}

CLI::Validator learning_rate() {
  return {[](std::string& text) -> std::string {
            const auto value = number<double>(text);
            const bool legal = value && *value >= 0 && std::isfinite(static_cast<float>(*value));
            return legal ? "" : text + " is not a learning rate: a number from 0 up that fits fp32";
          },
          ""};
}

CLI::Validator path() {
  return {[](std::string& text) -> std::string { return text.empty() ? "the path is empty" : ""; }, ""};
}

CLI::Option* add_model(CLI::App& app, std::string& model) {
  return app.add_option("model", model, "model description (JSON)")->required()->check(path());
}

CLI::Option* add_data(CLI::App& app, std::string& data) {
  return app.add_option("--data", data, kDataHelp)->required()->check(path());
}

CLI::Option* add_config(CLI::App& app, const char* name, std::string& config) {
  return app.add_option(name, config, kConfigHelp)->check(path());
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "print one JSON object as the last line of standard output");
}

void add_device(CLI::App& app, DeviceChoice& choice) {
  app.add_option(
         "--device", choice.device,
         "xrt (a card or an emulated board), verilated (the RTL, cycle by cycle) or functional (bit-exact model)")
      ->capture_default_str();
  add_config(app, "--config", choice.config)->capture_default_str();
  app.add_option("--board", choice.board, "xrt: emulated:N, a card's index or address; default: an emulated board")
      ->check(path());
  app.add_option("--core", choice.core, "xrt: core of the board, from 0")->transform(whole(0, 15));
  app.add_option("--xclbin", choice.xclbin, "xrt: the file to load; default: the configuration's bitstream")
      ->check(path());
  app.add_option("--waves", choice.waves, "verilated: write an FST wave file")->check(path());
  app.add_option("--stall", choice.stall_percent, "verilated: percent of random back-pressure everywhere")
      ->transform(whole(0, 95));
}

void add_options(CLI::App& app, TrainArguments& x) {
  add_model(app, x.model);
  add_data(app, x.data);
  app.add_option("--epochs", x.epochs, "passes over the training samples; default: 1, or what --steps takes")
      ->transform(whole(1));
  app.add_option("--steps", x.steps, "stop after this many steps")->transform(whole(1));
  app.add_option("--batch-size", x.batch_size, "samples of a step; default: the model's")->transform(whole(1));
  app.add_option("--learning-rate", x.learning_rate, "default: the model's")->check(learning_rate());
  app.add_option("--seed", x.seed, "of weights and order")->transform(whole(0))->capture_default_str();
  app.add_option("--save", x.save, "write the weights to this file (safetensors)")->check(path());
  add_device(app, x.device);
  add_json(app, x.json);
}

void add_options(CLI::App& app, EvalArguments& x) {
  add_model(app, x.model);
  app.add_option("--weights", x.weights, "weights that train --save wrote")->required()->check(path());
  add_data(app, x.data);
  app.add_option("--batch-size", x.batch_size, "samples of a step; default: the model's")->transform(whole(1));
  add_device(app, x.device);
  add_json(app, x.json);
}

void add_options(CLI::App& app, DevicesArguments& x) {
  add_config(app, "--config", x.config)->capture_default_str();
  add_json(app, x.json);
}

void add_options(CLI::App& app, GemmArguments& x) {
  constexpr std::uint64_t kSizeLimit = std::uint64_t{1} << 24;
  const auto size = whole(0, kSizeLimit);
  app.add_option("--m", x.shape.m, "rows of A and C")->required()->transform(size);
  app.add_option("--n", x.shape.n, "columns of B and C")->required()->transform(size);
  app.add_option("--k", x.shape.k, "columns of A, rows of B")->required()->transform(size);
  app.add_option("--batch", x.batch, "independent products, one after the other; figures are totals")
      ->transform(whole(0, kSizeLimit))
      ->capture_default_str();
  app.add_flag("--ta", x.shape.transpose_a, "A is stored transposed, k x m");
  app.add_flag("--tb", x.shape.transpose_b, "B is stored transposed, n x k");
  app.add_option("--seed", x.seed, "of the operands")->transform(whole(0))->capture_default_str();
  app.add_option("--data", x.data, "the operands' values")
      ->check(CLI::IsMember({"random", "adversarial"}))
      ->capture_default_str();
  app.add_flag(
         "--check{all}", x.check,
         "compare C bit for bit with a plain reference; --check=sampled: 16 elements of each 16 x 16, all its rows "
         "and columns")
      ->check(CLI::IsMember({"all", "sampled"}));
  add_device(app, x.device);
  add_json(app, x.json);
}

void add_options(CLI::App& app, AsmArguments& x) {
  app.add_option("input", x.input, "assembly text")->required()->check(path());
  app.add_option("-o,--output", x.output, "binary program: 16-byte words, little endian")->required()->check(path());
  app.add_option("--config", x.config, "check fields for this configuration; default: the widest array")->check(path());
  add_json(app, x.json);
}

void add_options(CLI::App& app, DisasmArguments& x) {
  app.add_option("input", x.input, "binary program, as asm writes it")->required()->check(path());
  add_json(app, x.json);
}

void add_options(CLI::App& app, ConfigArguments& x) {
  CLI::Option* name = add_config(app, "name", x.name)->capture_default_str();
  app.add_flag("--list", x.list, "the names of the presets instead")->excludes(name);
  add_json(app, x.json);
}

void add_options(CLI::App& app, XclbinArguments& x) {
  using Action = XclbinArguments::Action;
  app.require_subcommand(1);
  const auto add = [&](const char* name, const char* what, Action action) {
    CLI::App* command = app.add_subcommand(name, what);
    command->callback([&x, action] { x.action = action; });
    add_json(*command, x.json);
    return command;
  };
  CLI::App* make = add("make", "write the xclbin of an emulated board", Action::make);
  make->add_option("-o,--output", x.file, "the xclbin")->required()->check(path());
  make->add_option("--config", x.config, kConfigHelp)->capture_default_str();
  make->add_option("--device-program", x.device_program, "path of heddle-emulated-device; default: the search path")
      ->check(path());
  make->add_option("--emconfig", x.emconfig, "write emconfig.json for XRT's emulation, too")->check(path());
  make->add_option("--boards", x.boards, "boards in emconfig.json")->transform(whole(1, 64))->capture_default_str();
  CLI::App* show = add("show", "print all that an xclbin says", Action::show);
  show->add_option("file", x.file, "the xclbin")->required()->check(path());
  CLI::App* check = add("check", "say what keeps an xclbin from running a configuration's programs", Action::check);
  check->add_option("file", x.file, "the xclbin")->required()->check(path());
  check->add_option("--config", x.config, kConfigHelp)->capture_default_str();
}

// The subcommands, each with the arguments that its options fill.
class Parser {
 public:
  Parser() : app_("Trains neural networks on the Heddle accelerator and its simulators.") {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", "heddle " HEDDLE_VERSION);
    add("train", "train a model", train_);
    add("eval", "evaluate a trained model", eval_);
    add("devices", "list the devices", devices_);
    add("gemm", "multiply two matrices", gemm_);
    add("asm", "assemble a program", asm_);
    add("disasm", "disassemble a program", disasm_);
    add("config", "print a configuration", config_);
    add("xclbin", "make, show or check the file that XRT loads", xclbin_);
  }

  std::optional<Arguments> parse(int argc, char** argv) {
    if (argc > 1 && argv[1][0] != '-' && std::find(names_.begin(), names_.end(), argv[1]) == names_.end())
      throw UsageError(fmt::format("there is no subcommand \"{}\"; use {}", argv[1], fmt::join(names_, ", ")));
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() != 0) throw UsageError(fmt::format("{}; see {} --help", error.what(), asked_for()));
      std::ostringstream help;
      app_.exit(error, help);
      write_output(help.str());
      return std::nullopt;
    }
    return chosen_;
  }

 private:
  // The program, with the subcommand if there was one.
  std::string asked_for() const {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? "heddle" : "heddle " + chosen.front()->get_name();
  }

  template <typename T>
  void add(const char* name, const char* what, T& arguments) {
    CLI::App* command = app_.add_subcommand(name, what);
    names_.emplace_back(name);
    add_options(*command, arguments);
    command->callback([this, &arguments] { chosen_ = arguments; });
  }

  CLI::App app_;
  std::vector<std::string> names_;  // of the subcommands
  TrainArguments train_;
  EvalArguments eval_;
  DevicesArguments devices_;
  GemmArguments gemm_;
  AsmArguments asm_;
  DisasmArguments disasm_;
  ConfigArguments config_;
  XclbinArguments xclbin_;
  std::optional<Arguments> chosen_;
};

}  // namespace

std::unique_ptr<driver::Device> DeviceChoice::open() const {
  if (device != "verilated" && (stall_percent || !waves.empty()))
    throw InputError("--waves and --stall are for --device verilated; device " + device + " cannot");
  if (device != "xrt" && (!board.empty() || core || !xclbin.empty()))
    throw InputError("--board, --core and --xclbin are for --device xrt; device " + device + " has no boards");
  if (!waves.empty()) require_file_or_nothing(waves);
  driver::DeviceOptions options;
  options.board = board;
  options.core = core.value_or(0);
  options.xclbin = xclbin;
  options.stall_percent = stall_percent;
  options.waves = waves;
  return driver::open_device(device, heddle::config::load(config), options);
}

std::optional<Arguments> parse_arguments(int argc, char** argv) { return Parser().parse(argc, argv); }

}  // namespace heddle::cli
