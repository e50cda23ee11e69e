#include "config/config.h"

#include <fmt/format.h>

#include "host/cli/commands.h"

namespace heddle::cli {
namespace {

Json to_json(const config::Config& c) {
  return {{"name", c.name},
          {"cores", c.cores},
          {"rows", config::kRows},
          {"cols", c.cols},
          {"weight_fifo", c.weight_fifo},
          {"ub_lines", c.ub_lines},
          {"ub_banks", c.ub_banks},
          {"acc_rows", c.acc_rows},
          {"queue_depth", c.queue_depth},
          {"axi_ports", c.axi_ports},
          {"axi_bytes", c.axi_bytes},
          {"mhz", c.mhz},
          {"model",
           {{"banks", c.model.banks},
            {"bytes_per_cycle", c.model.bytes_per_cycle},
            {"read_latency", c.model.read_latency},
            {"write_latency", c.model.write_latency},
            {"stall_percent", c.model.stall_percent}}}};
}

}  // namespace

Command add_config(CLI::App& app) {
  struct Options {
    std::string name = "sim";
    bool list = false;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  app.add_option("name", options->name, "a preset's name or a TOML file")->capture_default_str();
  app.add_flag("--list", options->list, "the names of the presets instead");
  add_json(app, options->json);
  return [options] {
    if (options->list) {
      const auto presets = config::presets();
      if (options->json) return print_json({{"presets", presets}});
      for (const std::string& preset : presets) fmt::print("{}\n", preset);
      return;
    }
    const config::Config c = config::load(options->name);
    if (options->json) return print_json(to_json(c));
    fmt::print("{}", config::to_toml(c));
  };
}

}  // namespace heddle::cli
