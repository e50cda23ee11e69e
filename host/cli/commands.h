// The subcommands of `heddle`. Each adds its options to the application and returns what to do once they are parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "driver/device_factory.h"

namespace heddle::cli {

using Json = nlohmann::ordered_json;
using Command = std::function<void()>;

Command add_train(CLI::App& app);
Command add_eval(CLI::App& app);
Command add_devices(CLI::App& app);
Command add_gemm(CLI::App& app);
Command add_asm(CLI::App& app);
Command add_disasm(CLI::App& app);
Command add_config(CLI::App& app);

// Options that choose a device, shared by the commands that need one.
struct DeviceChoice {
  std::string device;
  std::string config = "sim";
  std::string waves;
  std::optional<unsigned> stall_percent;

  void add_to(CLI::App& app, const std::string& default_device);
  std::unique_ptr<driver::Device> open() const;
};

void add_json(CLI::App& app, bool& json);
// The last line of standard output.
void print_json(const Json& json);

// The share of the array's MACs that were asked for, over all cycles; null where the device counts no cycles.
Json utilisation(std::uint64_t macs, std::uint64_t cycles, const config::Config& config);
// null for 0.
Json cycles_or_null(std::uint64_t cycles);

}  // namespace heddle::cli
