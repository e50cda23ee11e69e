#include "host/executor/tensor_transfer.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

#include "common/memory.h"

namespace heddle {
namespace {

using compiler::DeviceTensor;
using driver::kLineBytes;

// Rows are copied in pieces of about this size: the next copy finds the place in the cache.
constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

// Calls f(first row, rows) for pieces of the band.
template <typename F>
void for_each_piece(std::uint64_t rows, std::size_t row_bytes, F f) {
  const std::uint64_t most = std::max<std::uint64_t>(kPieceBytes / row_bytes, 1);
  for (std::uint64_t row = 0; row < rows; row += most) f(row, std::min(most, rows - row));
}

// The rows of each band, padded, as they lie in the slot.
template <typename Element>
void upload_elements(driver::Device& device, const SlotBuffers& slots, const DeviceTensor& tensor,
                     std::span<const Element> elements) {
  assert(elements.size() == tensor.rows * tensor.columns);
  if (elements.empty()) return;
  const std::size_t row_bytes = tensor.row_lines * kLineBytes;
  std::vector<std::byte> bytes;
  for (std::uint32_t band = 0; band < tensor.bands; ++band)
    for_each_piece(tensor.band_rows(band), row_bytes, [&](std::uint64_t first, std::uint64_t rows) {
      bytes.resize(rows * row_bytes);
      for (std::uint64_t row = 0; row < rows; ++row)
        std::memcpy(&bytes[row * row_bytes], &elements[((first + row) * tensor.bands + band) * tensor.columns],
                    tensor.columns * sizeof(Element));
      device.write(*slots[tensor.slot + band], tensor.line * kLineBytes + first * row_bytes, bytes);
    });
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
  std::vector<std::byte> bytes;
  for (std::uint32_t band = 0; band < tensor.bands; ++band)
    for_each_piece(tensor.band_rows(band), row_bytes, [&](std::uint64_t first, std::uint64_t rows) {
      bytes.resize(rows * row_bytes);
      device.read(*slots[tensor.slot + band], tensor.line * kLineBytes + first * row_bytes, bytes);
      for (std::uint64_t row = 0; row < rows; ++row)
        std::memcpy(&values[((first + row) * tensor.bands + band) * tensor.columns], &bytes[row * row_bytes],
                    tensor.columns * sizeof(float));
    });
  return values;
}

SlotBuffers allocate_slots(driver::Device& device, std::span<const std::uint64_t, driver::kSlots> lines) {
  const std::uint64_t all = std::accumulate(lines.begin(), lines.end(), std::uint64_t{0});
  require_memory(all * kLineBytes, "the tensors on device " + device.info().name + " take");
  SlotBuffers slots;
  const unsigned ports = device.config().axi_ports;
  for (std::size_t slot = 0; slot < driver::kSlots; ++slot)
    if (lines[slot] > 0) slots[slot] = device.allocate(lines[slot] * kLineBytes, static_cast<unsigned>(slot) % ports);
  return slots;
}

}  // namespace heddle
