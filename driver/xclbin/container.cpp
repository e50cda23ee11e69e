#include "driver/xclbin/container.h"

#include <algorithm>
#include <string_view>

#include "common/sha256.h"

namespace heddle::xclbin {
namespace {

constexpr std::string_view kMagic{"xclbin2\0", 8};
constexpr std::size_t kUuidAt = 416, kHeaderBytes = 456, kSectionHeaderBytes = 40;
constexpr std::size_t kSignatureBytes = 4, kReservedBytes = 28, kKeyBlockBytes = 256;  // all -1: not signed
constexpr std::size_t kPlatformBytes = 64, kNameBytes = 16;
constexpr std::uint32_t kMostSections = 256;
constexpr std::uint8_t kMajor = 2, kMinor = 1;

void write_header(ByteWriter& out, const Container& container, std::uint64_t length) {
  out.text(kMagic).fill(kSignatureBytes + kReservedBytes + kKeyBlockBytes, 0xFF).number(std::uint64_t{0});  // id
  out.number(length).number(std::uint64_t{0}).number(std::uint64_t{0});  // length, time, platform's time
  out.number(std::uint16_t{0}).number(kMajor).number(kMinor);
  out.number(static_cast<std::uint16_t>(container.mode)).number(std::uint16_t{0});
  out.fill(16).name(container.platform, kPlatformBytes);  // platform's UUID, name
  out.fill(16).fill(16);                                  // UUID: filled in later; name of a debug file
  out.number(static_cast<std::uint32_t>(container.sections.size())).fill(4);
}

std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

struct SectionHeader {
  SectionKind kind;
  std::string name;
  std::uint64_t offset, bytes;
};

// Sections lie inside the file, after the table, and apart from each other.
void check_places(std::vector<SectionHeader> headers, std::size_t first, std::size_t length,
                  const std::string& origin) {
  std::sort(headers.begin(), headers.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::uint64_t end = first;
  for (const SectionHeader& header : headers) {
    if (header.offset > length || header.bytes > length - header.offset)
      throw InputError(origin + ": section " + name_of(header.kind) + " reaches beyond the end of the file");
    if (header.bytes == 0) continue;
    if (header.offset < end)
      throw InputError(origin + ": section " + name_of(header.kind) + " overlaps what stands before it");
    end = header.offset + header.bytes;
  }
}

SectionHeader read_section_header(ByteReader& in) {
  SectionHeader header;
  header.kind = static_cast<SectionKind>(in.number<std::uint32_t>());
  header.name = in.name(kNameBytes);
  in.skip(4);
  header.offset = in.number<std::uint64_t>();
  header.bytes = in.number<std::uint64_t>();
  return header;
}

Mode read_mode(std::uint16_t mode, const std::string& origin) {
  if (mode > static_cast<std::uint16_t>(Mode::sw_emu))
    throw InputError(origin + ": mode " + std::to_string(mode) + " is none that an Alveo card or its emulation has");
  return static_cast<Mode>(mode);
}

}  // namespace

std::string name_of(SectionKind kind) {
  switch (kind) {
    case SectionKind::bitstream:
      return "BITSTREAM";
    case SectionKind::embedded_metadata:
      return "EMBEDDED_METADATA";
    case SectionKind::mem_topology:
      return "MEM_TOPOLOGY";
    case SectionKind::connectivity:
      return "CONNECTIVITY";
    case SectionKind::ip_layout:
      return "IP_LAYOUT";
    case SectionKind::user_metadata:
      return "USER_METADATA";
  }
  return "of kind " + std::to_string(static_cast<std::uint32_t>(kind));
}

std::string name_of(Mode mode) {
  switch (mode) {
    case Mode::flat:
      return "card";
    case Mode::partial:
      return "card (partial reconfiguration)";
    case Mode::tandem:
    case Mode::tandem_partial:
      return "card (tandem)";
    case Mode::hw_emu:
      return "hardware emulation";
    case Mode::sw_emu:
      return "software emulation";
  }
  return "unknown";
}

std::string to_string(const Uuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[uuid[i] >> 4];
    text += kDigits[uuid[i] & 15];
  }
  return text;
}

const Section* Container::find(SectionKind kind) const {
  const auto is_kind = [&](const Section& section) { return section.kind == kind; };
  const auto first = std::find_if(sections.begin(), sections.end(), is_kind);
  if (first == sections.end()) return nullptr;
  if (std::any_of(first + 1, sections.end(), is_kind))
    throw InputError("the xclbin has several sections " + name_of(kind) + "; build it again");
  return &*first;
}

Uuid content_uuid(std::span<const std::byte> file) {
  Sha256 digest;
  const Bytes zeros(Uuid().size());
  digest.add(file.first(kUuidAt));
  digest.add(zeros);
  digest.add(file.subspan(kUuidAt + zeros.size()));
  const std::string hex = digest.finish();
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.size(); ++i)
    uuid[i] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0F) | 0x80);  // version 8
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3F) | 0x80);  // variant of RFC 9562
  return uuid;
}

Bytes encode(const Container& container) {
  std::uint64_t offset = aligned(kHeaderBytes + kSectionHeaderBytes * container.sections.size());
  ByteWriter table;
  for (const Section& section : container.sections) {
    table.number(static_cast<std::uint32_t>(section.kind)).name(section.name, kNameBytes).fill(4);
    table.number(offset).number(static_cast<std::uint64_t>(section.data.size()));
    offset += aligned(section.data.size());
  }
  ByteWriter out;
  write_header(out, container, offset);
  out.raw(table.take()).align(8);
  for (const Section& section : container.sections) out.raw(section.data).align(8);
  Bytes file = out.take();
  const Uuid uuid = content_uuid(file);
  std::transform(uuid.begin(), uuid.end(), file.begin() + kUuidAt, [](std::uint8_t byte) { return std::byte{byte}; });
  return file;
}

Container decode(std::span<const std::byte> file, const std::string& origin) {
  ByteReader in(file, origin);
  const auto magic = in.raw(std::min(kMagic.size(), file.size()));
  if (!std::ranges::equal(magic, std::as_bytes(std::span(kMagic))))
    throw InputError(origin + " is no xclbin: it does not start with \"xclbin2\"");
  in.skip(kSignatureBytes + kReservedBytes + kKeyBlockBytes + 8);
  const auto length = in.number<std::uint64_t>();
  in.skip(2 * 8 + 2 + 2);  // times, version
  Container container;
  container.mode = read_mode(in.number<std::uint16_t>(), origin);
  in.skip(2 + 16);
  container.platform = in.name(kPlatformBytes);
  const auto uuid = in.raw(container.uuid.size());
  std::transform(uuid.begin(), uuid.end(), container.uuid.begin(), [](std::byte b) { return std::uint8_t(b); });
  in.skip(16);
  const auto count = in.number<std::uint32_t>();
  in.skip(4);
  if (length != file.size())
    throw InputError(origin + " should have " + std::to_string(length) + " bytes, but has " +
                     std::to_string(file.size()) + "; copy it again");
  if (count > kMostSections)
    throw InputError(origin + " says that it has " + std::to_string(count) + " sections; it is damaged");
  std::vector<SectionHeader> headers;
  for (std::uint32_t i = 0; i < count; ++i) headers.push_back(read_section_header(in));
  check_places(headers, kHeaderBytes + kSectionHeaderBytes * count, file.size(), origin);
  for (const SectionHeader& header : headers) {
    const auto data = file.subspan(header.offset, header.bytes);
    container.sections.push_back({header.kind, header.name, Bytes(data.begin(), data.end())});
  }
  return container;
}

}  // namespace heddle::xclbin
