#include "driver/xclbin/image.h"

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "driver/xclbin/launcher.h"
#include "driver/xclbin/metadata.h"
#include "driver/xclbin/tables.h"

namespace heddle::xclbin {
namespace {

const Section& required(const Container& container, SectionKind kind) {
  const Section* section = container.find(kind);
  if (section == nullptr) throw InputError("section " + name_of(kind) + " is missing");
  return *section;
}

Section text_section(SectionKind kind, const std::string& name, const std::string& text) {
  return {kind, name, ByteWriter().text(text).take()};
}

// The units of our kernel, in the order of IP_LAYOUT, whose base addresses count; the XML has to know each.
std::vector<LayoutEntry> units_of(const Container& container, const Metadata& metadata) {
  std::vector<LayoutEntry> entries = read_ip_layout(required(container, SectionKind::ip_layout).data);
  std::erase_if(entries, [&](const LayoutEntry& entry) { return entry.kernel != metadata.kernel; });
  for (const LayoutEntry& entry : entries) {
    const auto is_it = [&](const ComputeUnit& unit) { return unit.name == entry.unit.name; };
    const auto found = std::find_if(metadata.units.begin(), metadata.units.end(), is_it);
    if (found == metadata.units.end())
      throw InputError("IP_LAYOUT has compute unit " + entry.unit.name + ", EMBEDDED_METADATA has not");
  }
  if (entries.size() != metadata.units.size())
    throw InputError("IP_LAYOUT has " + std::to_string(entries.size()) + " compute units of kernel " + metadata.kernel +
                     ", EMBEDDED_METADATA " + std::to_string(metadata.units.size()));
  return entries;
}

// Connections of our units, their index in IP_LAYOUT made one into `units`.
std::vector<Connection> connections_of(const Container& container, const KernelInterface& kernel,
                                       const std::vector<LayoutEntry>& entries) {
  std::vector<Connection> result;
  for (Connection c : read_connectivity(required(container, SectionKind::connectivity).data)) {
    const auto is_it = [&](const LayoutEntry& entry) { return entry.index == c.unit; };
    const auto entry = std::find_if(entries.begin(), entries.end(), is_it);
    if (entry == entries.end()) continue;  // of another kernel
    c.unit = static_cast<std::uint32_t>(entry - entries.begin());
    if (c.bank >= kernel.banks.size() || c.argument >= kernel.arguments.size())
      throw InputError("CONNECTIVITY connects argument " + std::to_string(c.argument) + " with bank " +
                       std::to_string(c.bank) + ", which are not both there");
    result.push_back(c);
  }
  return result;
}

KernelInterface kernel_of(const Container& container) {
  const Metadata metadata = read_metadata(required(container, SectionKind::embedded_metadata).data, kKernelName);
  const std::vector<LayoutEntry> entries = units_of(container, metadata);
  KernelInterface kernel{metadata.kernel, metadata.ports, metadata.arguments, {}, {}, {}};
  for (const LayoutEntry& entry : entries) kernel.units.push_back(entry.unit);
  kernel.banks = read_mem_topology(required(container, SectionKind::mem_topology).data);
  kernel.connections = connections_of(container, kernel, entries);
  return kernel;
}

// A file of ours says so in its platform, and is then covered by its UUID; one bit cannot change both.
void check_digest(const Container& container, std::span<const std::byte> file) {
  if ((container.mode == Mode::hw_emu) != (container.platform == kEmulationPlatform))
    throw InputError("mode \"" + name_of(container.mode) + "\" and platform \"" + container.platform +
                     "\" do not belong together");
  if (container.mode == Mode::hw_emu && content_uuid(file) != container.uuid)
    throw InputError("its content does not have the UUID " + to_string(container.uuid) +
                     "; the file is damaged, make it again");
}

}  // namespace

Bytes make_emulated(const config::Config& config, const std::string& device_program) {
  const KernelInterface kernel = emulated_interface(config);
  Container container;
  container.mode = Mode::hw_emu;
  container.platform = kEmulationPlatform;
  container.sections = {
      {SectionKind::bitstream, "launcher", launcher(config, device_program)},
      text_section(SectionKind::embedded_metadata, "metadata", to_xml(kernel, kEmulationPlatform, config.mhz)),
      {SectionKind::mem_topology, "mem_topology", mem_topology(kernel.banks)},
      {SectionKind::connectivity, "connectivity", connectivity(kernel.connections)},
      {SectionKind::ip_layout, "ip_layout", ip_layout(kernel.kernel, kernel.units)},
      text_section(SectionKind::user_metadata, "heddle", to_json(identity_of(config)))};
  return encode(container);
}

Image read(std::span<const std::byte> file, const std::string& origin) {
  Container container = decode(file, origin);
  try {
    check_digest(container, file);
    Image image{container.mode, container.platform, container.uuid, kernel_of(container), {}, {}};
    if (const Section* section = container.find(SectionKind::user_metadata))
      image.identity = read_identity(section->data);
    image.sections = std::move(container.sections);
    return image;
  } catch (const InputError& error) {
    throw InputError(origin + ": " + error.what());
  }
}

Image load(const std::filesystem::path& path) { return read(read_bytes(path), path.string()); }

}  // namespace heddle::xclbin
