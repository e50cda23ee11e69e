// Source of the layout: PKWARE's APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
#include "driver/xclbin/zip.h"

#include <sys/stat.h>
#include <zlib.h>

namespace heddle::xclbin {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint16_t kVersion = 20, kMadeOnUnix = 3 << 8 | kVersion;
constexpr std::uint16_t kMidnight = 0, kFirstDay = 1 << 5 | 1;  // 1 January 1980, where the format's time begins

std::uint32_t checksum(const std::string& content) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const unsigned char*>(content.data()), content.size()));
}

// What both headers of a file have in common.
void write_common(ByteWriter& out, const ZipEntry& entry) {
  const auto bytes = static_cast<std::uint32_t>(entry.content.size());
  out.number(kVersion).number(std::uint16_t{0}).number(std::uint16_t{0});  // no flags, stored
  out.number(kMidnight).number(kFirstDay).number(checksum(entry.content)).number(bytes).number(bytes);
  out.number(static_cast<std::uint16_t>(entry.path.size())).number(std::uint16_t{0});  // no extra field
}

}  // namespace

Bytes zip(const std::vector<ZipEntry>& entries) {
  ByteWriter out, directory;
  for (const ZipEntry& entry : entries) {
    const std::uint32_t mode = S_IFREG | (entry.executable ? 0755u : 0644u);
    directory.number(kCentral).number(kMadeOnUnix);
    write_common(directory, entry);
    directory.fill(2 + 2 + 2);  // comment, disk, internal attributes
    directory.number(mode << 16).number(static_cast<std::uint32_t>(out.size())).text(entry.path);
    out.number(kLocal);
    write_common(out, entry);
    out.text(entry.path).text(entry.content);
  }
  const auto start = static_cast<std::uint32_t>(out.size()), bytes = static_cast<std::uint32_t>(directory.size());
  const auto count = static_cast<std::uint16_t>(entries.size());
  out.raw(directory.take());
  out.number(kEnd).fill(4).number(count).number(count).number(bytes).number(start).fill(2);
  return out.take();
}

}  // namespace heddle::xclbin
