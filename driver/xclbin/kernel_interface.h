// What a core looks like to XRT and to the Vitis linker: the ONE source of kernel name, arguments, AXI ports, compute
// units, memory banks and their connections. The xclbin, kernel.xml, the link files and the driver are made from it.
//
// A kernel is one core (rtl/core/heddle_top.sv); a compute unit is one instance of it. Argument `slotN` is the base of
// slot N and passes through port N mod axi_ports, as docs/design.md section 8 and the driver's interface promise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "driver/device.h"

namespace heddle::xclbin {

inline constexpr std::uint32_t kInterfaceVersion = 1;  // grows with every change of arguments, ports or registers
inline constexpr const char* kKernelName = "heddle_top";
inline constexpr const char* kControlPort = "s_axi_control";
inline constexpr const char* kEmulationPlatform = "heddle:emulation:board:1.0";  // vendor:board:name:version

// Where emulated cores answer. On a card the linker decides; XRT reads it from the xclbin.
inline constexpr std::uint64_t kControlBase = 0x180'0000, kControlStep = 0x1'0000;
inline constexpr std::uint32_t kControlRange = 0x1000;  // bytes that a core decodes

struct Port {
  std::string name;
  bool master = false;  // AXI4 to memory; else AXI4-Lite registers
  std::uint32_t data_bits = 0;
  bool operator==(const Port&) const = default;
};

struct Argument {
  std::string name;
  bool pointer = false;      // a device address of 8 bytes; else a number of 4 bytes
  std::uint32_t offset = 0;  // of its register
  std::string port;          // that its memory is reached through; kControlPort for numbers
  std::uint32_t bytes() const { return pointer ? 8 : 4; }
  bool operator==(const Argument&) const = default;
};

struct ComputeUnit {
  std::string name;        // "heddle_core_1"
  std::uint64_t base = 0;  // of its registers
  bool operator==(const ComputeUnit&) const = default;
};

enum class MemoryKind : std::uint8_t { ddr, hbm, other };

struct Bank {
  std::string tag;  // "DDR[0]"
  MemoryKind kind = MemoryKind::ddr;
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  bool used = true;
  bool operator==(const Bank&) const = default;
};

// The memory behind an argument of a compute unit; all three are indices.
struct Connection {
  std::uint32_t argument = 0, unit = 0, bank = 0;
  bool operator==(const Connection&) const = default;
};

struct KernelInterface {
  std::string kernel;
  std::vector<Port> ports;
  std::vector<Argument> arguments;
  std::vector<ComputeUnit> units;
  std::vector<Bank> banks;
  std::vector<Connection> connections;
  bool operator==(const KernelInterface&) const = default;
};

// Indices into the arguments.
inline constexpr std::uint32_t kProgramArgument = 0, kWordsArgument = 1, kWatchdogArgument = 2;
constexpr std::uint32_t slot_argument(std::size_t slot) { return 3 + 2 * static_cast<std::uint32_t>(slot); }
constexpr std::uint32_t lines_argument(std::size_t slot) { return slot_argument(slot) + 1; }

// "heddle_core_1" for core 0: Vitis counts instances from 1.
std::string unit_name(std::uint32_t core);
std::string program_port();
std::string data_port(std::uint32_t port);

// Kernel, ports, arguments and compute units; no memory.
KernelInterface kernel_interface(const config::Config& config);

// The same on the emulated board: model.banks banks, each as large as sim::DeviceMemory makes them. Port p is wired to
// bank p mod banks, the program's port to bank 0, as the in-process simulation has it.
KernelInterface emulated_interface(const config::Config& config);

}  // namespace heddle::xclbin
