// The dispatcher's checks (docs/design.md, section 6), with the hardware's error codes and indices.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "config/config.h"
#include "rtl/isa/isa.h"
#include "sim/functional/operation.h"

namespace heddle::sim {

using SlotLines = std::array<std::uint32_t, kSlots>;  // 0: not declared

CheckedProgram check_program(const config::Config& config, std::span<const isa::Word> words, const SlotLines& slots);

}  // namespace heddle::sim
