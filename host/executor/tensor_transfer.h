// Moves matrices between the host and device memory in the layout of DeviceTensor.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "driver/device.h"
#include "host/compiler/device_tensor.h"

namespace heddle {

using SlotBuffers = std::array<driver::BufferPtr, driver::kSlots>;

// Row-major elements without padding, as many as rows * columns; bit patterns of the tensor's format.
void upload(driver::Device& device, const SlotBuffers& slots, const compiler::DeviceTensor& tensor,
            std::span<const std::uint16_t> bf16);
void upload(driver::Device& device, const SlotBuffers& slots, const compiler::DeviceTensor& tensor,
            std::span<const float> fp32);
std::vector<float> download(driver::Device& device, const SlotBuffers& slots, const compiler::DeviceTensor& tensor);

// Buffers for the slots that a program touches, at least as large as `lines` says.
SlotBuffers allocate_slots(driver::Device& device, std::span<const std::uint64_t, driver::kSlots> lines);

}  // namespace heddle
