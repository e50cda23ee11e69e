#include "host/executor/device_state.h"

#include <array>
#include <bit>
#include <utility>

#include "sim/numerics/bf16.h"

namespace heddle {

DeviceState::DeviceState(driver::Device& device, compiler::StateLayout layout)
    : device_(device), layout_(std::move(layout)) {
  std::array<std::uint64_t, driver::kSlots> lines{};
  for (std::uint32_t i = 0; i < layout_.slots; ++i) lines[compiler::kStateSlot + i] = layout_.slot_lines;
  slots_ = allocate_slots(device_, lines);
  if (layout_.classes == 0) return;
  std::vector<float> ranks(layout_.classes);
  for (std::uint64_t c = 0; c < layout_.classes; ++c) ranks[c] = static_cast<float>(layout_.classes - c);
  upload(device_, slots_, layout_.class_ranks, ranks);
}

void DeviceState::write(const std::string& parameter, std::span<const float> values) {
  const compiler::ParameterLayout& layout = layout_.find(parameter);
  upload(device_, slots_, layout.master, values);
  upload(device_, slots_, layout.momentum, std::vector<float>(values.size(), 0.0F));
  if (!layout.copy) return;
  std::vector<std::uint16_t> copy;
  copy.reserve(values.size());
  for (const float value : values) copy.push_back(numerics::to_bf16(std::bit_cast<std::uint32_t>(value)));
  upload(device_, slots_, *layout.copy, copy);
}

std::vector<float> DeviceState::read(const std::string& parameter) {
  return download(device_, slots_, layout_.find(parameter).master);
}

}  // namespace heddle
