#include "host/executor/tensor_transfer.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace heddle {
namespace {

using compiler::DeviceTensor;
using driver::kLineBytes;

// The rows of one band, padded, as they lie in the slot.
template <typename Element>
void upload_elements(driver::Device& device, const SlotBuffers& slots, const DeviceTensor& tensor,
                     std::span<const Element> elements) {
  assert(elements.size() == tensor.rows * tensor.columns);
  if (elements.empty()) return;
  const std::size_t row_bytes = tensor.row_lines * kLineBytes;
  for (std::uint32_t band = 0; band < tensor.bands; ++band) {
    const std::uint64_t rows = tensor.band_rows(band);
    if (rows == 0) continue;
    std::vector<std::byte> bytes(rows * row_bytes);
    for (std::uint64_t row = 0; row < rows; ++row)
      std::memcpy(&bytes[row * row_bytes], &elements[(row * tensor.bands + band) * tensor.columns],
                  tensor.columns * sizeof(Element));
    device.write(*slots[tensor.slot + band], tensor.line * kLineBytes, bytes);
  }
}

}  // namespace

void upload(driver::Device& device, const SlotBuffers& slots, const DeviceTensor& tensor,
            std::span<const std::uint16_t> bf16) {
  assert(tensor.format == compiler::Format::bf16);
  upload_elements(device, slots, tensor, bf16);
}

void upload(driver::Device& device, const SlotBuffers& slots, const DeviceTensor& tensor, std::span<const float> fp32) {
  assert(tensor.format == compiler::Format::fp32);
  upload_elements(device, slots, tensor, fp32);
}

std::vector<float> download(driver::Device& device, const SlotBuffers& slots, const DeviceTensor& tensor) {
  assert(tensor.format == compiler::Format::fp32);
  std::vector<float> values(tensor.rows * tensor.columns);
  const std::size_t row_bytes = tensor.row_lines * kLineBytes;
  if (values.empty()) return values;
  for (std::uint32_t band = 0; band < tensor.bands; ++band) {
    const std::uint64_t rows = tensor.band_rows(band);
    if (rows == 0) continue;
    std::vector<std::byte> bytes(rows * row_bytes);
    device.read(*slots[tensor.slot + band], tensor.line * kLineBytes, bytes);
    for (std::uint64_t row = 0; row < rows; ++row)
      std::memcpy(&values[(row * tensor.bands + band) * tensor.columns], &bytes[row * row_bytes],
                  tensor.columns * sizeof(float));
  }
  return values;
}

SlotBuffers allocate_slots(driver::Device& device, std::span<const std::uint64_t, driver::kSlots> lines) {
  SlotBuffers slots;
  const unsigned ports = device.config().axi_ports;
  for (std::size_t slot = 0; slot < driver::kSlots; ++slot)
    if (lines[slot] > 0) slots[slot] = device.allocate(lines[slot] * kLineBytes, static_cast<unsigned>(slot) % ports);
  return slots;
}

}  // namespace heddle
