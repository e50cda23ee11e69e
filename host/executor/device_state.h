// The parameters of a model on a device: master weights, momentum and the bf16 copies that enter the array.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "driver/device.h"
#include "host/compiler/state_layout.h"
#include "host/executor/tensor_transfer.h"

namespace heddle {

class DeviceState {
 public:
  DeviceState(driver::Device& device, compiler::StateLayout layout);

  const compiler::StateLayout& layout() const { return layout_; }
  const SlotBuffers& slots() const { return slots_; }
  // Row-major values without padding. Writing sets the bf16 copy too, and the momentum to zero.
  void write(const std::string& parameter, std::span<const float> values);
  std::vector<float> read(const std::string& parameter);

 private:
  driver::Device& device_;
  compiler::StateLayout layout_;
  SlotBuffers slots_;
};

}  // namespace heddle
