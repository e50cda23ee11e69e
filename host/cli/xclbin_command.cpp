// heddle xclbin make | show | check
#include <fmt/format.h>

#include "common/error.h"
#include "common/files.h"
#include "driver/xclbin/emconfig.h"
#include "driver/xclbin/image.h"
#include "host/cli/commands.h"
#include "host/cli/json_object.h"
#include "host/cli/output.h"

namespace heddle::cli {
namespace {

using xclbin::Image;

const char* name_of(xclbin::MemoryKind kind) {
  switch (kind) {
    case xclbin::MemoryKind::ddr:
      return "DDR";
    case xclbin::MemoryKind::hbm:
      return "HBM";
    case xclbin::MemoryKind::other:
      break;
  }
  return "other";
}

// Tags of the banks that an argument of a unit reaches.
std::vector<std::string> banks_of(const xclbin::KernelInterface& kernel, std::uint32_t unit, std::uint32_t argument) {
  std::vector<std::string> tags;
  for (const xclbin::Connection& c : kernel.connections)
    if (c.unit == unit && c.argument == argument) tags.push_back(kernel.banks[c.bank].tag);
  return tags;
}

// ------------------------------------------------------------------------------------------------------ for people
void print_identity(const Image& image) {
  if (!image.identity) return cli::print("configuration  not said\n");
  const xclbin::Identity& id = *image.identity;
  cli::print("configuration  {}: {} cores of {} x {}, {} AXI ports, {} buffer lines, {} accumulator rows\n",
             id.config.name, id.config.cores, id.rows, id.config.cols, id.config.axi_ports, id.config.ub_lines,
             id.config.acc_rows);
  cli::print("versions       interface {}, instruction set {}\n", id.interface_version, id.isa_version);
}

void print_kernel(const xclbin::KernelInterface& kernel) {
  cli::print("kernel         {}\n", kernel.kernel);
  for (const auto& port : kernel.ports)
    cli::print("port           {:16} {:4} bit, {}\n", port.name, port.data_bits, port.master ? "memory" : "registers");
  for (std::uint32_t a = 0; a < kernel.arguments.size(); ++a) {
    const auto& argument = kernel.arguments[a];
    cli::print("argument {:2}    {:16} {:7} at {:#05x} through {}\n", a, argument.name,
               argument.pointer ? "pointer" : "number", argument.offset, argument.port);
  }
  for (const auto& bank : kernel.banks)
    if (bank.used)
      cli::print("memory         {:16} {:4} at {:#x}, {} MiB\n", bank.tag, name_of(bank.kind), bank.base,
                 bank.bytes >> 20);
  for (std::uint32_t u = 0; u < kernel.units.size(); ++u) {
    cli::print("compute unit   {:16} at {:#x}\n", kernel.units[u].name, kernel.units[u].base);
    for (std::uint32_t a = 0; a < kernel.arguments.size(); ++a)
      if (kernel.arguments[a].pointer)
        cli::print("                 {:14} {}\n", kernel.arguments[a].name, fmt::join(banks_of(kernel, u, a), " "));
  }
}

void print_image(const Image& image) {
  cli::print("uuid           {}\nfor            {}\nplatform       {}\n", xclbin::to_string(image.uuid),
             name_of(image.mode), image.platform);
  print_identity(image);
  print_kernel(image.kernel);
  for (const auto& section : image.sections)
    cli::print("section        {:20} {} bytes\n", name_of(section.kind), section.data.size());
}

// -------------------------------------------------------------------------------------------------------- as JSON
JsonObject json_of(const xclbin::Identity& id) {
  return JsonObject()
      .add("interface_version", id.interface_version)
      .add("isa_version", id.isa_version)
      .add("rows", id.rows)
      .add("name", id.config.name)
      .add("cores", id.config.cores)
      .add("cols", id.config.cols)
      .add("weight_fifo", id.config.weight_fifo)
      .add("ub_lines", id.config.ub_lines)
      .add("ub_banks", id.config.ub_banks)
      .add("acc_rows", id.config.acc_rows)
      .add("queue_depth", id.config.queue_depth)
      .add("axi_ports", id.config.axi_ports)
      .add("axi_bytes", id.config.axi_bytes)
      .add("mhz", id.config.mhz);
}

JsonObject json_of(const xclbin::KernelInterface& kernel) {
  std::vector<JsonObject> ports, arguments, banks, units;
  for (const auto& port : kernel.ports)
    ports.push_back(JsonObject().add("name", port.name).add("master", port.master).add("data_bits", port.data_bits));
  for (const auto& argument : kernel.arguments)
    arguments.push_back(JsonObject()
                            .add("name", argument.name)
                            .add("pointer", argument.pointer)
                            .add("offset", argument.offset)
                            .add("port", argument.port));
  for (const auto& bank : kernel.banks)
    banks.push_back(JsonObject()
                        .add("tag", bank.tag)
                        .add("kind", name_of(bank.kind))
                        .add("used", bank.used)
                        .add("base", bank.base)
                        .add("bytes", bank.bytes));
  for (std::uint32_t u = 0; u < kernel.units.size(); ++u) {
    JsonObject memory;
    for (std::uint32_t a = 0; a < kernel.arguments.size(); ++a)
      if (kernel.arguments[a].pointer) memory.add(kernel.arguments[a].name, banks_of(kernel, u, a));
    units.push_back(
        JsonObject().add("name", kernel.units[u].name).add("base", kernel.units[u].base).add("memory", memory));
  }
  return JsonObject()
      .add("name", kernel.kernel)
      .add("ports", ports)
      .add("arguments", arguments)
      .add("banks", banks)
      .add("units", units);
}

JsonObject json_of(const Image& image) {
  std::vector<JsonObject> sections;
  for (const auto& section : image.sections)
    sections.push_back(
        JsonObject().add("kind", name_of(section.kind)).add("bytes", std::uint64_t{section.data.size()}));
  return JsonObject()
      .add("uuid", xclbin::to_string(image.uuid))
      .add("mode", name_of(image.mode))
      .add("platform", image.platform)
      .add("identity", image.identity ? std::optional(json_of(*image.identity)) : std::nullopt)
      .add("kernel", json_of(image.kernel))
      .add("sections", sections);
}

// ------------------------------------------------------------------------------------------------------ the actions
void make(const XclbinArguments& arguments) {
  const config::Config config = config::load(arguments.config);
  const std::string boards = arguments.emconfig.empty() ? "" : xclbin::emconfig(config, arguments.boards);
  const xclbin::Bytes file = xclbin::make_emulated(config, arguments.device_program);
  write_atomically(arguments.file, std::span<const std::byte>(file));
  if (!arguments.emconfig.empty()) write_atomically(arguments.emconfig, boards);
  const std::string uuid = xclbin::to_string(xclbin::read(file, arguments.file).uuid);
  if (arguments.json)
    JsonObject().add("file", arguments.file).add("bytes", std::uint64_t{file.size()}).add("uuid", uuid).print();
  else
    cli::print("{}: {} bytes, uuid {}\n", arguments.file, file.size(), uuid);
}

void show(const XclbinArguments& arguments) {
  const Image image = xclbin::load(arguments.file);
  if (arguments.json)
    json_of(image).print();
  else
    print_image(image);
}

void check(const XclbinArguments& arguments) {
  const config::Config config = config::load(arguments.config);
  const std::vector<std::string> differences = xclbin::differences(xclbin::load(arguments.file), config);
  if (arguments.json) {
    JsonObject().add("fits", differences.empty()).add("differences", differences).print();
  } else {
    for (const std::string& difference : differences) cli::print("{}\n", difference);
    if (differences.empty()) cli::print("{} fits configuration {}\n", arguments.file, config.name);
  }
  if (!differences.empty())
    throw InputError(
        fmt::format("{} does not fit configuration {}: {} differences; use another xclbin or configuration",
                    arguments.file, config.name, differences.size()));
}

}  // namespace

void run(const XclbinArguments& arguments) {
  switch (arguments.action) {
    case XclbinArguments::Action::make:
      return make(arguments);
    case XclbinArguments::Action::show:
      return show(arguments);
    case XclbinArguments::Action::check:
      return check(arguments);
  }
}

}  // namespace heddle::cli
