#include "driver/xclbin/kernel_interface.h"

#include "driver/registers.h"
#include "sim/verilated/device_memory.h"

namespace heddle::xclbin {
namespace {

std::vector<Port> ports_of(const config::Config& config) {
  std::vector<Port> ports{{kControlPort, false, 32}, {program_port(), true, 8 * config.axi_bytes}};
  for (std::uint32_t p = 0; p < config.axi_ports; ++p) ports.push_back({data_port(p), true, 8 * config.axi_bytes});
  return ports;
}

std::vector<Argument> arguments_of(const config::Config& config) {
  namespace registers = driver::registers;
  std::vector<Argument> arguments{{"program", true, registers::kProgram, program_port()},
                                  {"program_words", false, registers::kProgramWords, kControlPort},
                                  {"watchdog_cycles", false, registers::kWatchdog, kControlPort}};
  for (std::uint32_t s = 0; s < driver::kSlots; ++s) {
    const std::uint32_t offset = registers::kSlot + registers::kSlotStep * s;
    const std::string name = "slot" + std::to_string(s);
    arguments.push_back({name, true, offset, data_port(s % config.axi_ports)});
    arguments.push_back({name + "_lines", false, offset + 8, kControlPort});
  }
  return arguments;
}

}  // namespace

std::string unit_name(std::uint32_t core) { return "heddle_core_" + std::to_string(core + 1); }
std::string program_port() { return "m_axi_prog"; }
std::string data_port(std::uint32_t port) { return "m_axi_gmem" + std::to_string(port); }

KernelInterface kernel_interface(const config::Config& config) {
  KernelInterface kernel{kKernelName, ports_of(config), arguments_of(config), {}, {}, {}};
  for (std::uint32_t c = 0; c < config.cores; ++c)
    kernel.units.push_back({unit_name(c), kControlBase + kControlStep * c});
  return kernel;
}

KernelInterface emulated_interface(const config::Config& config) {
  KernelInterface kernel = kernel_interface(config);
  for (std::uint32_t b = 0; b < config.model.banks; ++b) {
    kernel.banks.push_back({"DDR[" + std::to_string(b) + "]", MemoryKind::ddr, b * sim::DeviceMemory::kBankBytes,
                            sim::DeviceMemory::kBankBytes, true});
  }
  for (std::uint32_t u = 0; u < config.cores; ++u) {
    kernel.connections.push_back({kProgramArgument, u, 0});
    for (std::uint32_t s = 0; s < driver::kSlots; ++s)
      kernel.connections.push_back({slot_argument(s), u, s % config.axi_ports % config.model.banks});
  }
  return kernel;
}

}  // namespace heddle::xclbin
