// One Verilated core and what surrounds it on a board: clock, reset, the register bus, memory on its AXI4 ports.
//
// Time passes only inside these calls. Buffers of programs live in the storage that the owner shares out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "config/config.h"
#include "driver/verilated/model.h"
#include "sim/verilated/axi_memory.h"
#include "sim/verilated/device_memory.h"

namespace heddle::driver {

struct VerilatedOptions {
  unsigned stall_percent = 0;  // on AXI channels and on all streams inside; at most 95
  std::uint64_t seed = 1;
  std::string waves;  // path of an FST file; empty: none
};

class CoreSimulation {
 public:
  // Throws DeviceError that names the configurations with a model if this one has none, InputError for options.
  CoreSimulation(const config::Config& config, const VerilatedOptions& options, sim::DeviceMemory& storage);

  // Puts the core and its memory transactions into their first state; storage stays as it is.
  void reset();

  void cycle() { step({}); }
  bool interrupt() const { return interrupt_; }

  // One access over AXI4-Lite each. Throw DeviceError if the core does not answer or refuses.
  void write_register(std::uint32_t address, std::uint32_t data);
  std::uint32_t read_register(std::uint32_t address);
  std::uint64_t read_register64(std::uint32_t address);

  // Throws DeviceError if the core's own registers do not agree with the configuration.
  void check_identity();

  sim::AxiMemory& memory() { return memory_; }

 private:
  ControlReply step(const ControlRequest& control);
  std::uint32_t random_stalls();

  config::Config config_;
  VerilatedOptions options_;
  std::unique_ptr<Model> model_;
  sim::AxiMemory memory_;
  std::uint64_t random_;
  bool interrupt_ = false;
};

// Empty if this build has a model for the configuration; else why not and how to build one.
std::string missing_model(const config::Config& config);

}  // namespace heddle::driver
