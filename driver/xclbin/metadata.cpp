#include "driver/xclbin/metadata.h"

#include <charconv>
#include <pugixml.hpp>
#include <sstream>

#include "common/error.h"

namespace heddle::xclbin {
namespace {

constexpr std::size_t kLargest = std::size_t{16} << 20;  // of any metadata that is read

std::string hex(std::uint64_t value) {
  char digits[17];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  return "0x" + std::string(digits, end);
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

std::vector<std::string> platform_parts(const std::string& platform) {
  std::vector<std::string> parts;
  std::istringstream in(platform);
  for (std::string part; std::getline(in, part, ':');) parts.push_back(part);
  if (parts.size() != 4)
    throw InputError("the platform \"" + platform + "\" is not of the form vendor:board:name:version");
  return parts;
}

void add_port(pugi::xml_node kernel, const Port& port) {
  pugi::xml_node node = kernel.append_child("port");
  set(node, "name", port.name);
  set(node, "mode", port.master ? "master" : "slave");
  set(node, "range", port.master ? "0xFFFFFFFFFFFFFFFF" : hex(kControlRange));
  set(node, "dataWidth", std::to_string(port.data_bits));
  set(node, "portType", "addressable");
  set(node, "base", "0x0");
}

void add_argument(pugi::xml_node parent, const Argument& argument, std::size_t id) {
  pugi::xml_node node = parent.append_child("arg");
  set(node, "name", argument.name);
  set(node, "addressQualifier", argument.pointer ? "1" : "0");
  set(node, "id", std::to_string(id));
  set(node, "port", argument.port);
  set(node, "size", hex(argument.bytes()));
  set(node, "offset", hex(argument.offset));
  set(node, "hostOffset", "0x0");
  set(node, "hostSize", hex(argument.bytes()));
  set(node, "type", argument.pointer ? "void*" : "uint");
}

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

// ------------------------------------------------------------------------------------------------------- reading
std::string where(pugi::xml_node node) {
  return "EMBEDDED_METADATA, <" + std::string(node.name()) + " name=\"" + node.attribute("name").value() + "\">";
}

std::string required(pugi::xml_node node, const char* name) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) throw InputError(where(node) + " has no " + name);
  return attribute.value();
}

std::uint64_t number(pugi::xml_node node, const char* name) {
  const std::string text = required(node, name);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const char* first = text.data() + (hexadecimal ? 2 : 0);
  const char* last = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != last || first == last)
    throw InputError(where(node) + ": " + name + "=\"" + text + "\" is no number");
  return value;
}

std::uint32_t number32(pugi::xml_node node, const char* name) {
  const std::uint64_t value = number(node, name);
  if (value > ~std::uint32_t{0}) throw InputError(where(node) + ": " + name + " is too large");
  return static_cast<std::uint32_t>(value);
}

Argument read_argument(pugi::xml_node node, std::size_t id) {
  if (number(node, "id") != id) throw InputError(where(node) + ": its id is not " + std::to_string(id));
  const std::uint64_t qualifier = number(node, "addressQualifier");
  Argument argument{required(node, "name"), qualifier == 1, number32(node, "offset"), required(node, "port")};
  if (qualifier > 1) throw InputError(where(node) + " is neither a number nor a pointer to memory");
  if (number(node, "size") != argument.bytes())
    throw InputError(where(node) + " should have " + std::to_string(argument.bytes()) + " bytes");
  return argument;
}

pugi::xml_node find_kernel(const pugi::xml_document& document, const std::string& name) {
  const pugi::xml_node core = document.child("project").child("platform").child("device").child("core");
  if (!core) throw InputError("EMBEDDED_METADATA has no <project><platform><device><core>");
  std::string names;
  for (pugi::xml_node kernel : core.children("kernel")) {
    if (kernel.attribute("name").value() == name) return kernel;
    names += (names.empty() ? "" : ", ") + std::string(kernel.attribute("name").value());
  }
  throw InputError("the xclbin has no kernel " + name + " (it has: " + (names.empty() ? "none" : names) + ")");
}

}  // namespace

std::string to_xml(const KernelInterface& kernel, const std::string& platform, std::uint32_t mhz) {
  const std::vector<std::string> parts = platform_parts(platform);
  pugi::xml_document document;
  pugi::xml_node project = document.append_child("project");
  set(project, "name", "heddle");
  pugi::xml_node board = project.append_child("platform");
  set(board, "vendor", parts[0]);
  set(board, "boardid", parts[1]);
  set(board, "name", parts[2]);
  set(board, "featureRomTime", "0");
  pugi::xml_node version = board.append_child("version");
  set(version, "major", parts[3].substr(0, parts[3].find('.')));
  set(version, "minor", "0");
  pugi::xml_node device = board.append_child("device");
  set(device, "name", "fpga0");
  set(device, "fpgaDevice", parts[0] + ":" + parts[1]);
  set(device, "addrWidth", "0");
  pugi::xml_node core = device.append_child("core");
  set(core, "name", "OCL_REGION_0");
  set(core, "target", "hw_em");
  set(core, "type", "clc_region");
  set(core, "clockFreq", "0MHz");
  set(core, "numComputeUnits", std::to_string(kernel.units.size()));
  pugi::xml_node clock = core.append_child("kernelClocks").append_child("clock");
  set(clock, "port", "KERNEL_CLK");
  set(clock, "frequency", std::to_string(mhz) + ".000000MHz");
  pugi::xml_node node = core.append_child("kernel");
  set(node, "name", kernel.kernel);
  set(node, "language", "ip");
  set(node, "type", "pl");
  set(node, "hwControlProtocol", "ap_ctrl_hs");
  set(node, "interrupt", "true");
  set(node, "workGroupSize", "1");
  for (const Port& port : kernel.ports) add_port(node, port);
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) add_argument(node, kernel.arguments[i], i);
  for (const ComputeUnit& unit : kernel.units) {
    pugi::xml_node instance = node.append_child("instance");
    set(instance, "name", unit.name);
    pugi::xml_node remap = instance.append_child("addrRemap");
    set(remap, "base", hex(unit.base));
    set(remap, "range", hex(kControlStep));
    set(remap, "port", kControlPort);
  }
  return text_of(document);
}

std::string to_kernel_xml(const KernelInterface& kernel) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("root");
  set(root, "versionMajor", "1");
  set(root, "versionMinor", "6");
  pugi::xml_node node = root.append_child("kernel");
  set(node, "name", kernel.kernel);
  set(node, "language", "ip_c");
  set(node, "vlnv", std::string("heddle:kernel:") + kernel.kernel + ":1.0");
  set(node, "attributes", "");
  set(node, "preferredWorkGroupSizeMultiple", "0");
  set(node, "workGroupSize", "1");
  set(node, "interrupt", "true");
  set(node, "hwControlProtocol", "ap_ctrl_hs");
  pugi::xml_node ports = node.append_child("ports");
  for (const Port& port : kernel.ports) add_port(ports, port);
  pugi::xml_node arguments = node.append_child("args");
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) add_argument(arguments, kernel.arguments[i], i);
  return text_of(document);
}

Metadata read_metadata(std::span<const std::byte> xml, const std::string& name) {
  if (xml.size() > kLargest) throw InputError("EMBEDDED_METADATA has more than 16 MiB; this is no xclbin of Heddle");
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed)
    throw InputError(std::string("EMBEDDED_METADATA is no XML: ") + parsed.description() + " at byte " +
                     std::to_string(parsed.offset));
  const pugi::xml_node kernel = find_kernel(document, name);
  Metadata metadata;
  metadata.kernel = name;
  for (pugi::xml_node port : kernel.children("port"))
    metadata.ports.push_back({required(port, "name"), required(port, "mode") == "master", number32(port, "dataWidth")});
  for (pugi::xml_node argument : kernel.children("arg"))
    metadata.arguments.push_back(read_argument(argument, metadata.arguments.size()));
  for (pugi::xml_node instance : kernel.children("instance")) {
    const pugi::xml_node remap = instance.child("addrRemap");
    if (!remap) throw InputError(where(instance) + " has no <addrRemap>");
    metadata.units.push_back({required(instance, "name"), number(remap, "base")});
  }
  return metadata;
}

}  // namespace heddle::xclbin
