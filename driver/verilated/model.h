// A Verilated core behind one interface, so that the generated class is known in one file per configuration.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "sim/verilated/axi_memory.h"

namespace heddle::driver {

// AXI4-Lite: what the host drives in a cycle, and what it saw.
struct ControlRequest {
  bool aw_valid = false, w_valid = false, b_ready = false, ar_valid = false, r_ready = false;
  std::uint32_t address = 0;
  std::uint32_t data = 0;
};
struct ControlReply {
  bool aw_ready = false, w_ready = false, b_valid = false, ar_ready = false, r_valid = false;
  std::uint8_t response = 0;
  std::uint32_t data = 0;
  bool interrupt = false;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual void set_reset(bool active) = 0;
  // One clock cycle. `stall`: bits of sim_stall_i.
  virtual ControlReply cycle(const ControlRequest& control, std::uint32_t stall, sim::AxiMemory& memory) = 0;
  // Writes all signals to an FST file from now on. Throws DeviceError if it cannot be created.
  virtual void open_waves(const std::string& path) = 0;
};

struct ModelEntry {
  std::string_view configuration;
  std::unique_ptr<Model> (*make)();
};

// The models of this build.
const std::vector<ModelEntry>& models();

}  // namespace heddle::driver
