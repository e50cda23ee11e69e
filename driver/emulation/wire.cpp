#include "driver/emulation/wire.h"

#include <cstring>
#include <string>

namespace heddle::emulation {
namespace {

// A key is the number of the field and the kind of its value.
enum Kind : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
constexpr std::byte kSizeKey{1 << 3 | kFixed64}, kCallKey{2 << 3 | kFixed32};

// Everything here is little endian, as the hosts that XRT runs on are.
template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint64_t checked_size(std::uint64_t bytes) {
  if (bytes > kLargestBody) {
    throw WireError("a message claims to have " + std::to_string(bytes) + " bytes");
  }
  return bytes;
}

}  // namespace

std::array<std::byte, kRequestHeaderBytes> encode(const RequestHeader& header) {
  std::array<std::byte, kRequestHeaderBytes> bytes{};
  bytes[0] = kSizeKey;
  std::memcpy(&bytes[1], &header.bytes, 8);
  bytes[9] = kCallKey;
  std::memcpy(&bytes[10], &header.call, 4);
  return bytes;
}

std::array<std::byte, kReplyHeaderBytes> encode_reply_header(std::uint64_t bytes) {
  std::array<std::byte, kReplyHeaderBytes> header{};
  header[0] = kSizeKey;
  std::memcpy(&header[1], &bytes, 8);
  return header;
}

RequestHeader decode_request_header(std::span<const std::byte, kRequestHeaderBytes> bytes) {
  if (bytes[0] != kSizeKey || bytes[9] != kCallKey) {
    throw WireError("14 bytes that are no header of a request");
  }
  return {load<Call>(&bytes[10]), checked_size(load<std::uint64_t>(&bytes[1]))};
}

std::uint64_t decode_reply_header(std::span<const std::byte, kReplyHeaderBytes> bytes) {
  if (bytes[0] != kSizeKey) {
    throw WireError("9 bytes that are no header of a reply");
  }
  return checked_size(load<std::uint64_t>(&bytes[1]));
}

std::span<const std::byte> MessageReader::take(std::uint64_t bytes) {
  if (bytes > rest_.size()) throw WireError("a message ends inside a field");
  const auto taken = rest_.first(bytes);
  rest_ = rest_.subspan(bytes);
  return taken;
}

std::uint64_t MessageReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(take(1)[0]);
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  throw WireError("a number of more than 64 bits");
}

std::uint64_t MessageReader::fixed(std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, take(bytes).data(), bytes);
  return value;
}

std::optional<Field> MessageReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::uint64_t key = varint();
  Field field{.number = static_cast<std::uint32_t>(key >> 3), .value = 0, .bytes = {}};
  switch (key & 7) {
    case kVarint:
      field.value = varint();
      return field;
    case kFixed64:
      field.value = fixed(8);
      return field;
    case kFixed32:
      field.value = fixed(4);
      return field;
    case kBytes:
      field.bytes = take(varint());
      return field;
    default:
      throw WireError("field " + std::to_string(field.number) + " of a message has an unknown kind");
  }
}

void MessageWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) message_.push_back(static_cast<std::byte>(value | 0x80));
  message_.push_back(static_cast<std::byte>(value));
}

MessageWriter& MessageWriter::number(std::uint32_t field, std::uint64_t value) {
  varint(field << 3 | kVarint);
  varint(value);
  return *this;
}

MessageWriter& MessageWriter::bytes(std::uint32_t field, std::span<const std::byte> data) {
  bytes_head(field, data.size());
  message_.insert(message_.end(), data.begin(), data.end());
  return *this;
}

MessageWriter& MessageWriter::bytes_head(std::uint32_t field, std::uint64_t size) {
  varint(field << 3 | kBytes);
  varint(size);
  return *this;
}

}  // namespace heddle::emulation
