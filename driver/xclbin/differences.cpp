// Why an xclbin does not fit a configuration.
#include <algorithm>
#include <map>

#include "driver/xclbin/image.h"

namespace heddle::xclbin {
namespace {

using Sentences = std::vector<std::string>;

void compare(Sentences& out, const std::string& thing, std::uint64_t has, std::uint64_t wants) {
  if (has != wants)
    out.push_back(thing + ": the xclbin has " + std::to_string(has) + ", the configuration " + std::to_string(wants));
}

void compare_identity(Sentences& out, const Image& image, const config::Config& config) {
  if (!image.identity) {
    out.push_back("configuration: the xclbin does not say which it was built from (section USER_METADATA)");
    return;
  }
  const Identity &has = *image.identity, wants = identity_of(config);
  compare(out, "interface version", has.interface_version, wants.interface_version);
  compare(out, "ISA version", has.isa_version, wants.isa_version);
  compare(out, "rows", has.rows, wants.rows);
  compare(out, "columns", has.config.cols, config.cols);
  compare(out, "cores", has.config.cores, config.cores);
  compare(out, "weight FIFO", has.config.weight_fifo, config.weight_fifo);
  compare(out, "unified-buffer lines", has.config.ub_lines, config.ub_lines);
  compare(out, "unified-buffer banks", has.config.ub_banks, config.ub_banks);
  compare(out, "accumulator rows", has.config.acc_rows, config.acc_rows);
  compare(out, "queue depth", has.config.queue_depth, config.queue_depth);
  compare(out, "AXI ports", has.config.axi_ports, config.axi_ports);
  compare(out, "bytes of an AXI port", has.config.axi_bytes, config.axi_bytes);
}

std::string describe(const Argument& argument) {
  return argument.name + " (" + (argument.pointer ? "pointer" : "number") + " at " + std::to_string(argument.offset) +
         " through " + argument.port + ")";
}

void compare_arguments(Sentences& out, const KernelInterface& has, const KernelInterface& wants) {
  compare(out, "arguments", has.arguments.size(), wants.arguments.size());
  for (std::size_t i = 0; i < std::min(has.arguments.size(), wants.arguments.size()); ++i) {
    if (has.arguments[i] != wants.arguments[i])
      out.push_back("argument " + std::to_string(i) + ": the xclbin has " + describe(has.arguments[i]) +
                    ", the configuration " + describe(wants.arguments[i]));
  }
}

void compare_ports(Sentences& out, const KernelInterface& has, const KernelInterface& wants) {
  for (const Port& port : wants.ports) {
    const auto found =
        std::find_if(has.ports.begin(), has.ports.end(), [&](const Port& p) { return p.name == port.name; });
    if (found == has.ports.end())
      out.push_back("port " + port.name + ": the xclbin has none of this name");
    else
      compare(out, "bits of port " + port.name, found->data_bits, port.data_bits);
  }
}

void compare_units(Sentences& out, const KernelInterface& has, const KernelInterface& wants) {
  compare(out, "compute units", has.units.size(), wants.units.size());
  for (const ComputeUnit& unit : wants.units) {
    if (std::none_of(has.units.begin(), has.units.end(), [&](const ComputeUnit& u) { return u.name == unit.name; }))
      out.push_back("compute unit " + unit.name + ": the xclbin has none of this name");
  }
}

// Every pointer of every unit reaches memory: without a bank XRT gives the group 65535 and fails later.
void check_memory(Sentences& out, const KernelInterface& kernel) {
  for (std::uint32_t u = 0; u < kernel.units.size(); ++u) {
    for (std::uint32_t a = 0; a < kernel.arguments.size(); ++a) {
      if (!kernel.arguments[a].pointer) continue;
      const bool reaches = std::any_of(kernel.connections.begin(), kernel.connections.end(), [&](const Connection& c) {
        return c.unit == u && c.argument == a && kernel.banks[c.bank].used;
      });
      if (!reaches)
        out.push_back("argument " + kernel.arguments[a].name + " of " + kernel.units[u].name +
                      ": it reaches no memory bank");
    }
  }
}

// Two banks that share addresses would overwrite each other's buffers.
void check_banks(Sentences& out, const KernelInterface& kernel) {
  std::vector<Bank> banks = kernel.banks;
  std::erase_if(banks, [](const Bank& bank) { return !bank.used || bank.bytes == 0; });
  std::sort(banks.begin(), banks.end(), [](const Bank& a, const Bank& b) { return a.base < b.base; });
  for (std::size_t i = 1; i < banks.size(); ++i) {
    if (banks[i].base - banks[i - 1].base < banks[i - 1].bytes)
      out.push_back("memory banks " + banks[i - 1].tag + " and " + banks[i].tag + ": their addresses overlap");
  }
}

}  // namespace

std::vector<std::string> differences(const Image& image, const config::Config& config) {
  Sentences out;
  compare_identity(out, image, config);
  const KernelInterface wants = image.emulated() ? emulated_interface(config) : kernel_interface(config);
  compare_ports(out, image.kernel, wants);
  compare_arguments(out, image.kernel, wants);
  compare_units(out, image.kernel, wants);
  check_memory(out, image.kernel);
  check_banks(out, image.kernel);
  if (image.emulated()) {
    compare(out, "memory banks", image.kernel.banks.size(), wants.banks.size());
    if (out.empty() && image.kernel != wants) out.push_back("memory: banks or their connections differ");
  }
  return out;
}

}  // namespace heddle::xclbin
