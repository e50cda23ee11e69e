// The file format of XRT's xclbin ("axlf", version 2.1, little endian): a header of 456 bytes, a table of section
// headers, sections at multiples of 8. Source of the layout: xclbin.h of XRT 2.13; a test compares offsets with it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "driver/xclbin/bytes.h"

namespace heddle::xclbin {

// Numbers of the format.
enum class SectionKind : std::uint32_t {
  bitstream = 0,
  embedded_metadata = 2,
  mem_topology = 6,
  connectivity = 7,
  ip_layout = 8,
  user_metadata = 16,
};
std::string name_of(SectionKind kind);

// Numbers of the format; cards have flat or partial reconfiguration.
enum class Mode : std::uint16_t { flat = 0, partial = 1, tandem = 2, tandem_partial = 3, hw_emu = 4, sw_emu = 5 };
std::string name_of(Mode mode);

using Uuid = std::array<std::uint8_t, 16>;
std::string to_string(const Uuid& uuid);  // 8-4-4-4-12 hexadecimal digits

struct Section {
  SectionKind kind{};
  std::string name;
  Bytes data;
};

struct Container {
  Mode mode = Mode::hw_emu;
  std::string platform;
  Uuid uuid{};  // what `decode` found
  std::vector<Section> sections;

  // The only section of a kind, or null. Throws InputError if there are several.
  const Section* find(SectionKind kind) const;
};

// The file. Its UUID is the content's digest: `content_uuid`. Same content, same bytes.
Bytes encode(const Container& container);

// Throws InputError for anything that is not a whole, consistent file; `origin` is what errors call it.
Container decode(std::span<const std::byte> file, const std::string& origin);

// SHA-256 of the file with zeros for its UUID, cut to a UUID of version 8 (RFC 9562).
Uuid content_uuid(std::span<const std::byte> file);

}  // namespace heddle::xclbin
