// A core's RTL as a compute unit.
//
// Its interrupt is how the emulation learns that a run is over, and does not reach the host, which polls: GIE and IER
// keep what the host writes, ISR reads 0.
#pragma once

#include <cstdint>
#include <map>

#include "config/config.h"
#include "driver/device.h"
#include "driver/emulation/faults.h"
#include "driver/emulation/kernel.h"
#include "driver/verilated/core_simulation.h"

namespace heddle::emulation {

class RtlKernel final : public Kernel {
 public:
  // Throws DeviceError if this build has no model of the configuration, or another one. `faults` must live as long.
  RtlKernel(const config::Config& config, const driver::VerilatedOptions& options, sim::DeviceMemory& memory,
            const Faults& faults);

  void write(std::uint32_t offset, std::uint32_t value) override;
  std::uint32_t read(std::uint32_t offset) override;
  bool running() const override { return running_; }
  std::uint64_t runs() const override { return run_; }
  void advance() override;

 private:
  struct Range {  // what the host gave the core: bytes of device memory
    std::uint64_t address = 0, bytes = 0;
  };

  void store(std::uint32_t offset, std::uint32_t value);
  void start();
  void finish();
  void plant_errors();
  Range program();
  Range slot(std::uint32_t index);
  bool fault(FaultKind kind) const { return faults_.in_run(kind, run_); }

  driver::CoreSimulation core_;
  const Faults& faults_;
  std::uint64_t run_ = 0;  // this one's number, from 1
  bool running_ = false;
  unsigned slice_ = 16;  // cycles that take a short time
  std::uint32_t global_interrupt_ = 0, interrupt_enable_ = 0;
  std::map<std::uint32_t, std::uint32_t> stored_;  // what registers that only the host changes hold
};

}  // namespace heddle::emulation
