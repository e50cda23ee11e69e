// The bytes that the emulation shim of XRT and a device process exchange over a Unix socket.
//
// A request is a header of 14 bytes and a body, a reply a header of 9 bytes and a body; one request at a time. Headers
// and bodies are protocol buffers (proto2, https://protobuf.dev/programming-guides/encoding): a header has the size of
// the body as field 1 (fixed64) and, in requests, the number of the call as field 2 (fixed32).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace heddle::emulation {

// What came over the socket is not this protocol.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Numbers of the calls that a hardware emulation makes.
enum class Call : std::uint32_t {
  close = 1,
  allocate = 4,
  release = 5,
  copy_to_device = 6,
  copy_from_device = 7,
  write_memory = 8,
  write_registers = 9,
  read_memory = 10,
  read_registers = 11,
  timestamp = 17,
  messages = 19,
  set_environment = 20,
  // Not of XRT: requests of write_registers, header and body, that nobody waits for. No reply.
  posted = 0x48454400,
};

struct RequestHeader {
  Call call{};
  std::uint64_t bytes = 0;  // of the body
};
inline constexpr std::size_t kRequestHeaderBytes = 14, kReplyHeaderBytes = 9;
inline constexpr std::uint64_t kLargestBody = std::uint64_t{1} << 30;

std::array<std::byte, kRequestHeaderBytes> encode(const RequestHeader& header);
std::array<std::byte, kReplyHeaderBytes> encode_reply_header(std::uint64_t bytes);
// Throw WireError if the bytes are no header, or name a body larger than kLargestBody.
RequestHeader decode_request_header(std::span<const std::byte, kRequestHeaderBytes> bytes);
std::uint64_t decode_reply_header(std::span<const std::byte, kReplyHeaderBytes> bytes);

struct Field {
  std::uint32_t number = 0;
  std::uint64_t value = 0;           // of numbers
  std::span<const std::byte> bytes;  // of strings, bytes and messages
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

// Takes a message apart, field by field. Views point into the message.
class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> message) : rest_(message) {}
  // The next field, or nothing at the end. Throws WireError if the message is cut or malformed.
  std::optional<Field> next();

 private:
  std::uint64_t varint();
  std::uint64_t fixed(std::size_t bytes);
  std::span<const std::byte> take(std::uint64_t bytes);

  std::span<const std::byte> rest_;
};

class MessageWriter {
 public:
  MessageWriter& number(std::uint32_t field, std::uint64_t value);
  MessageWriter& bytes(std::uint32_t field, std::span<const std::byte> data);
  // The head of a bytes field whose content the caller sends right behind the message.
  MessageWriter& bytes_head(std::uint32_t field, std::uint64_t size);
  const std::vector<std::byte>& message() const { return message_; }

 private:
  void varint(std::uint64_t value);

  std::vector<std::byte> message_;
};

}  // namespace heddle::emulation
