// What every device refuses, in the same words.
#pragma once

#include <cstddef>
#include <string>

#include "driver/device.h"

namespace heddle::driver {

// Throws DeviceError unless [offset, offset + bytes) is inside a buffer of `size` bytes.
void check_range(const char* action, std::size_t size, std::size_t offset, std::size_t bytes);

// Bytes rounded up to lines; throws DeviceError for zero bytes or a port that does not exist.
std::size_t check_allocation(std::size_t bytes, unsigned port, const config::Config& config);

// Throws DeviceError if the launch has no program, or one that is longer than its buffer.
void check_launch(const Launch& launch);

// Throws DeviceError unless memory that was allocated for `port` is what slot `slot` reaches.
void check_slot_port(std::size_t slot, unsigned port, const config::Config& config);

}  // namespace heddle::driver
