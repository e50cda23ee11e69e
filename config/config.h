// One accelerator configuration: the sizes that RTL, simulators, compiler and reports share.
//
// It comes from a TOML file, config/*.toml or the user's own, that has to name every value; config/sim.toml explains
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::config {

inline constexpr std::uint32_t kRows = 32;  // of the array: architectural, the block of the number format

struct Config {
  std::string name;
  std::uint32_t cores = 0;
  std::uint32_t cols = 0;         // of the array: 8, 16, 32 or 64
  std::uint32_t weight_fifo = 0;  // stationary tiles
  std::uint32_t ub_lines = 0;     // unified buffer, lines of 64 byte
  std::uint32_t ub_banks = 0;
  std::uint32_t acc_rows = 0;     // accumulator rows of `cols` fp32
  std::uint32_t queue_depth = 0;  // instructions waiting per unit
  std::uint32_t axi_ports = 0;    // for data; instructions have one more
  std::uint32_t axi_bytes = 0;    // width of a port
  std::uint32_t mhz = 0;          // target clock on a card

  // The simulated device memory; no influence on the RTL.
  struct Model {
    std::uint32_t banks = 0;
    std::uint32_t bytes_per_cycle = 0;  // per bank
    std::uint32_t read_latency = 0;     // cycles from address to first data
    std::uint32_t write_latency = 0;    // cycles from last data to response
    std::uint32_t stall_percent = 0;    // random back-pressure on every channel
    bool operator==(const Model&) const = default;
  } model;

  // Accumulator rows of 32 lanes, as VEC and STORE see them.
  std::uint32_t acc_lines() const { return acc_rows * (cols > 32 ? cols / 32 : 1); }

  bool operator==(const Config&) const = default;
};

// The configuration of a preset's name ("sim") or of a TOML file. Throws InputError that names file, key and legal
// values.
Config load(const std::string& preset_or_path);

// The configuration of TOML text; `origin` is what errors call it.
Config parse(const std::string& text, const std::string& origin);

// A complete TOML file that `parse` reads back.
std::string to_toml(const Config& config);

// Names of the presets, alphabetically.
std::vector<std::string> presets();

// The SystemVerilog package heddle_config_pkg for this configuration.
std::string to_package(const Config& config);

}  // namespace heddle::config
