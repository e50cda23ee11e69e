#include "sim/functional/dma.h"

#include <cstring>

namespace heddle::sim {
namespace {

// Calls f(memory line, buffer line) for every run of dimension 0.
template <typename F>
void each_run(const Pattern& p, F f) {
  for (std::size_t i3 = 0; i3 < p.count[3]; ++i3)
    for (std::size_t i2 = 0; i2 < p.count[2]; ++i2)
      for (std::size_t i1 = 0; i1 < p.count[1]; ++i1)
        f(p.memory_line + i1 * p.memory_stride[1] + i2 * p.memory_stride[2] + i3 * p.memory_stride[3],
          p.buffer_line + i1 * p.buffer_stride[1] + i2 * p.buffer_stride[2] + i3 * p.buffer_stride[3]);
}

}  // namespace

void load(const LoadOperation& operation, std::span<const std::byte> slot, UnifiedBuffer& buffer) {
  const std::size_t bytes = std::size_t{operation.pattern.count[0]} * kLineBytes;
  each_run(operation.pattern, [&](std::size_t memory, std::size_t line) {
    if (operation.fill) {
      std::memset(buffer.data(line), 0, bytes);
    } else {
      std::memcpy(buffer.data(line), slot.data() + memory * kLineBytes, bytes);
    }
  });
}

void store(const StoreOperation& operation, const UnifiedBuffer& buffer, const Accumulators& accumulators,
           std::span<std::byte> slot) {
  const std::size_t bytes = std::size_t{operation.pattern.count[0]} * kLineBytes;
  each_run(operation.pattern, [&](std::size_t memory, std::size_t line) {
    const void* from = operation.from_accumulators ? static_cast<const void*>(&accumulators.row(line))
                                                   : static_cast<const void*>(&buffer.line(line));
    std::memcpy(slot.data() + memory * kLineBytes, from, bytes);
  });
}

}  // namespace heddle::sim
