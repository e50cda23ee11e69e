#include <iostream>

#include "host/cli/commands.h"

namespace heddle::cli {

void DeviceChoice::add_to(CLI::App& app, const std::string& default_device) {
  device = default_device;
  app.add_option("--device", device, "verilated (the RTL, cycle by cycle) or functional (bit-exact model)")
      ->capture_default_str();
  app.add_option("--config", config, "configuration: a preset's name or a TOML file")->capture_default_str();
  app.add_option("--waves", waves, "verilated: write an FST wave file");
  app.add_option("--stall", stall_percent, "verilated: percent of random back-pressure everywhere")
      ->check(CLI::Range(0, 95));
}

std::unique_ptr<driver::Device> DeviceChoice::open() const {
  driver::DeviceOptions options;
  options.stall_percent = stall_percent;
  options.waves = waves;
  return driver::open_device(device, heddle::config::load(config), options);
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "print one JSON object as the last line of standard output");
}

void print_json(const Json& json) { std::cout << json.dump() << std::endl; }

Json utilisation(std::uint64_t macs, std::uint64_t cycles, const config::Config& config) {
  if (cycles == 0) return nullptr;
  return static_cast<double>(macs) / (static_cast<double>(cycles) * heddle::config::kRows * config.cols);
}

Json cycles_or_null(std::uint64_t cycles) { return cycles == 0 ? Json(nullptr) : Json(cycles); }

}  // namespace heddle::cli
