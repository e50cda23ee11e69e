#include "driver/checks.h"

#include "common/error.h"

namespace heddle::driver {

void check_range(const char* action, std::size_t size, std::size_t offset, std::size_t bytes) {
  if (offset > size || bytes > size - offset) {
    throw DeviceError(std::string(action) + " of " + std::to_string(bytes) + " bytes at offset " +
                      std::to_string(offset) + " does not fit the buffer of " + std::to_string(size) +
                      " bytes; allocate a larger buffer or access less");
  }
}

std::size_t check_allocation(std::size_t bytes, unsigned port, const config::Config& config) {
  if (bytes == 0) {
    throw DeviceError("a buffer of 0 bytes cannot be allocated; ask for at least 1");
  }
  if (port >= config.axi_ports) {
    throw DeviceError("AXI port " + std::to_string(port) + " does not exist: configuration " + config.name + " has " +
                      std::to_string(config.axi_ports) + " ports");
  }
  return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

void check_launch(const Launch& launch) {
  constexpr std::size_t kWordBytes = sizeof(isa::Word);
  if (launch.program == nullptr) {
    throw DeviceError("the launch has no program; give it a buffer with at least one instruction");
  }
  if (launch.words > launch.program->bytes() / kWordBytes) {
    throw DeviceError("a program of " + std::to_string(launch.words) + " words does not fit its buffer of " +
                      std::to_string(launch.program->bytes()) + " bytes; allocate 16 bytes a word");
  }
}

void check_slot_port(std::size_t slot, unsigned port, const config::Config& config) {
  if (slot % config.axi_ports != port) {
    throw DeviceError("slot " + std::to_string(slot) + " reaches memory of AXI port " +
                      std::to_string(slot % config.axi_ports) + ", but its buffer was allocated for port " +
                      std::to_string(port));
  }
}

}  // namespace heddle::driver
