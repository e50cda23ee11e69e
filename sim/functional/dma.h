// LOAD and STORE: patterns of lines between device memory and the core (docs/design.md, section 4).
#pragma once

#include <cstddef>
#include <span>

#include "sim/functional/state.h"

namespace heddle::sim {

void load(const LoadOperation& operation, std::span<const std::byte> slot, UnifiedBuffer& buffer);
void store(const StoreOperation& operation, const UnifiedBuffer& buffer, const Accumulators& accumulators,
           std::span<std::byte> slot);

}  // namespace heddle::sim
