#include <fmt/format.h>

#include "host/cli/commands.h"

namespace heddle::cli {

Command add_devices(CLI::App& app) {
  struct Options {
    std::string config = "sim";
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  app.add_option("--config", options->config, "configuration: a preset's name or a TOML file")->capture_default_str();
  add_json(app, options->json);
  return [options] {
    Json list = Json::array();
    for (const auto& device : driver::list_devices(config::load(options->config))) {
      list.push_back(
          {{"name", device.name}, {"kind", device.kind}, {"usable", device.usable}, {"reason", device.reason}});
      if (!options->json)
        fmt::print("{:12} {:12} {:9} {}\n", device.name, device.kind, device.usable ? "usable" : "no", device.reason);
    }
    if (options->json) print_json({{"devices", list}});
  };
}

}  // namespace heddle::cli
