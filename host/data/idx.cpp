#include "host/data/idx.h"

#include <zlib.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "common/error.h"
#include "common/files.h"
#include "common/memory.h"

namespace heddle {
namespace {

constexpr std::uint32_t kLabelMagic = 2049;
constexpr std::uint32_t kImageMagic = 2051;
constexpr std::uint64_t kByteLimit = std::uint64_t{1}
                                     << 32;  // larger than any IDX data set; bounds what a bad file can unpack to
constexpr std::uint64_t kSizeLimit = std::uint64_t{1} << 16;  // of an image, either way

using Bytes = std::vector<std::byte>;

bool is_gzip(const Bytes& bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw InputError(path.string() + ": " + what);
}

// A zlib stream that ends itself.
struct Inflater {
  z_stream stream{};
  Inflater() {
    constexpr int kGzipWindow = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw InputError("zlib cannot start: out of memory");
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

Bytes unpack(const std::filesystem::path& path, Bytes& packed) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  Bytes result;
  std::array<std::byte, 1 << 16> piece;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_BUF_ERROR) fail(path, "the gzip stream is truncated; fetch the file again");
    if (status != Z_OK && status != Z_STREAM_END)
      fail(path, std::string("the gzip stream is damaged (") + (stream.msg != nullptr ? stream.msg : "bad checksum") +
                     "); fetch the file again");
    if (result.size() + piece.size() > result.capacity())
      require_memory(2 * result.capacity(), path.string() + " unpacks to at least");
    result.insert(result.end(), piece.begin(), piece.end() - stream.avail_out);
    if (status == Z_STREAM_END && stream.avail_in > 0) {  // gzip allows several streams in a row
      if (stream.next_in[0] != 0x1F) fail(path, "has bytes after its gzip stream; fetch the file again");
      inflateReset(&stream);
      status = Z_OK;
    }
    if (result.size() > kByteLimit) fail(path, "unpacks to more than 4 GiB; this is no IDX data set");
  }
  return result;
}

Bytes read_unpacked(const std::filesystem::path& path) {
  Bytes bytes = read_bytes(path);
  return is_gzip(bytes) ? unpack(path, bytes) : bytes;
}

std::uint32_t word(const Bytes& bytes, std::size_t index) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[4 * index + i]);
  return value;
}

std::string kind(std::uint32_t magic) {
  if (magic == kLabelMagic) return "a label file";
  if (magic == kImageMagic) return "an image file";
  return "not an IDX file of bytes (magic number " + std::to_string(magic) + ")";
}

// Checks magic number and length; `words` is the size of the header.
void check(const std::filesystem::path& path, const Bytes& bytes, std::uint32_t magic, std::size_t words) {
  if (bytes.size() < 4) fail(path, "has " + std::to_string(bytes.size()) + " bytes, too few for an IDX file");
  if (word(bytes, 0) != magic)
    fail(path,
         "is " + kind(word(bytes, 0)) + ", expected " + kind(magic) + "; check that images and labels are not swapped");
  if (bytes.size() < 4 * words) fail(path, "ends within its header");
}

void check_length(const std::filesystem::path& path, const Bytes& bytes, std::size_t words, std::uint64_t data) {
  const std::uint64_t expected = 4 * words + data;
  if (bytes.size() == expected) return;
  fail(path, std::string(bytes.size() < expected ? "is truncated" : "is too long") + ": its header asks for " +
                 std::to_string(expected) + " bytes, it has " + std::to_string(bytes.size()));
}

std::vector<std::uint8_t> body(const Bytes& bytes, std::size_t words) {
  std::vector<std::uint8_t> result(bytes.size() - 4 * words);
  if (!result.empty()) std::memcpy(result.data(), bytes.data() + 4 * words, result.size());
  return result;
}

}  // namespace

IdxImages read_idx_images(const std::filesystem::path& path) {
  constexpr std::size_t kWords = 4;
  const Bytes bytes = read_unpacked(path);
  check(path, bytes, kImageMagic, kWords);
  IdxImages images;
  images.count = word(bytes, 1);
  images.rows = word(bytes, 2);
  images.columns = word(bytes, 3);
  if (images.rows == 0 || images.columns == 0 || images.rows > kSizeLimit || images.columns > kSizeLimit)
    fail(path, "has images of " + std::to_string(images.rows) + " x " + std::to_string(images.columns) + " pixels");
  check_length(path, bytes, kWords, images.count * (images.rows * images.columns));
  images.pixels = body(bytes, kWords);
  return images;
}

std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path) {
  constexpr std::size_t kWords = 2;
  const Bytes bytes = read_unpacked(path);
  check(path, bytes, kLabelMagic, kWords);
  check_length(path, bytes, kWords, word(bytes, 1));
  return body(bytes, kWords);
}

}  // namespace heddle
