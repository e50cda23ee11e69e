#include "driver/emulation/dispatcher.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <vector>

namespace heddle::emulation {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLargestCopy = 8 << 20;  // that the shim asks for at once

// A request's fields by number; none of those that matter has a higher one.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> body) {
    MessageReader reader(body);
    while (const auto field = reader.next()) {
      if (field->number < fields_.size()) fields_[field->number] = *field;
    }
  }
  std::uint64_t number(std::size_t field) const { return fields_[field].value; }
  std::span<const std::byte> bytes(std::size_t field) const { return fields_[field].bytes; }

 private:
  std::array<Field, 8> fields_{};
};

Reply acknowledge(bool good = true) {
  Reply reply;
  reply.message.number(1, good);
  return reply;
}

std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

Reply Dispatcher::handle(Call call, std::span<const std::byte> body) {
  switch (call) {
    case Call::allocate:
      return allocate(body);
    case Call::release:
      return release(body);
    case Call::copy_to_device:
      return copy_to_device(body);
    case Call::copy_from_device:
      return copy_from_device(body);
    case Call::write_registers:
      return write_registers(body);
    case Call::read_registers:
      return read_registers(body);
    case Call::write_memory:
      return write_memory(body);
    case Call::read_memory:
      return read_memory(body);
    case Call::messages:
      return messages();
    case Call::set_environment:
      return set_environment(body);
    case Call::posted:
      return posted(body);
    case Call::timestamp:
      return [] {
        Reply reply;
        reply.message.number(1,
                             static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
        return reply;
      }();
    case Call::close: {
      Reply reply = acknowledge();
      reply.last = true;
      return reply;
    }
  }
  throw WireError("the host makes call " + std::to_string(static_cast<std::uint32_t>(call)) +
                  ", which an emulated board does not know");
}

// The host places buffers; here they are only remembered, so that their pages can be given back.
Reply Dispatcher::allocate(std::span<const std::byte> body) {
  const Fields fields(body);
  const std::uint64_t address = fields.number(1), bytes = fields.number(2);
  const bool inside = board_.memory().at(address, bytes) != nullptr;
  if (inside) {
    buffers_[address] = bytes;
  } else {
    report("a buffer of " + std::to_string(bytes) + " bytes at " + std::to_string(address) +
           " is outside the board's memory; the xclbin promises more memory than the board has");
  }
  return acknowledge(inside);
}

Reply Dispatcher::release(std::span<const std::byte> body) {
  const auto buffer = buffers_.find(Fields(body).number(1));
  if (buffer != buffers_.end()) {
    board_.memory().discard(buffer->first, (buffer->second + kPage - 1) / kPage * kPage);
    buffers_.erase(buffer);
  }
  return acknowledge();
}

bool Dispatcher::store(std::uint64_t address, std::span<const std::byte> data) {
  std::byte* to = board_.memory().at(address, data.size());
  if (to == nullptr) {
    report(std::to_string(data.size()) + " bytes written to " + std::to_string(address) +
           ", outside the board's memory, are lost");
    return false;
  }
  std::memcpy(to, data.data(), data.size());
  return true;
}

// The device's address is field 3 plus 6, the data 4, its length 5.
Reply Dispatcher::copy_to_device(std::span<const std::byte> body) {
  const Fields fields(body);
  const std::size_t bytes = std::min<std::uint64_t>(fields.number(5), fields.bytes(4).size());
  const bool stored = store(fields.number(3) + fields.number(6), fields.bytes(4).first(bytes));
  Reply reply;
  reply.message.number(1, stored ? bytes : 0);
  return reply;
}

// The device's address is field 4 plus 6, the length 5.
Reply Dispatcher::copy_from_device(std::span<const std::byte> body) {
  const Fields fields(body);
  const std::uint64_t address = fields.number(4) + fields.number(6), bytes = fields.number(5);
  const std::byte* from = bytes <= kLargestBody ? board_.memory().at(address, bytes) : nullptr;
  Reply reply;
  if (from == nullptr) {
    report(std::to_string(bytes) + " bytes read from " + std::to_string(address) +
           ", outside the board's memory, are zeros");
    reply.message.number(1, 0).bytes(2, std::vector<std::byte>(std::min(bytes, kLargestCopy)));
    return reply;
  }
  reply.message.number(1, bytes).bytes_head(2, bytes);
  reply.rest = {from, bytes};
  return reply;
}

Reply Dispatcher::write_registers(std::span<const std::byte> body) {
  const Fields fields(body);
  board_.write_registers(fields.number(2), fields.bytes(4));
  return acknowledge();
}

Reply Dispatcher::read_registers(std::span<const std::byte> body) {
  const Fields fields(body);
  std::vector<std::byte> data(std::min<std::uint64_t>(fields.number(3), kWindowBytes));
  board_.read_registers(fields.number(2), data);
  Reply reply = acknowledge();
  reply.message.bytes(2, data);
  return reply;
}

Reply Dispatcher::write_memory(std::span<const std::byte> body) {
  const Fields fields(body);
  return acknowledge(store(fields.number(2), fields.bytes(4)));
}

Reply Dispatcher::read_memory(std::span<const std::byte> body) {
  const Fields fields(body);
  const std::byte* from = board_.memory().at(fields.number(2), fields.number(3));
  if (fields.number(3) > kLargestBody) from = nullptr;
  Reply reply = acknowledge(from != nullptr);
  reply.message.bytes_head(2, from == nullptr ? 0 : fields.number(3));
  if (from != nullptr) reply.rest = {from, fields.number(3)};
  return reply;
}

Reply Dispatcher::messages() {
  Reply reply;
  if (!report_.empty()) reply.message.bytes(1, as_bytes(report_));
  report_.clear();
  return reply;
}

Reply Dispatcher::set_environment(std::span<const std::byte> body) {
  MessageReader reader(body);
  while (const auto entry = reader.next()) {
    if (entry->number != 3) continue;
    const Fields pair(entry->bytes);
    const auto text = [&](std::size_t field) {
      return std::string_view(reinterpret_cast<const char*>(pair.bytes(field).data()), pair.bytes(field).size());
    };
    setting_(text(1), text(2));
  }
  return acknowledge();
}

Reply Dispatcher::posted(std::span<const std::byte> body) {
  while (!body.empty()) {
    if (body.size() < kRequestHeaderBytes) throw WireError("posted requests end inside a header");
    const RequestHeader header = decode_request_header(body.first<kRequestHeaderBytes>());
    body = body.subspan(kRequestHeaderBytes);
    if (header.call != Call::write_registers || header.bytes > body.size()) {
      throw WireError("posted requests that are not whole writes of registers");
    }
    write_registers(body.first(header.bytes));
    body = body.subspan(header.bytes);
  }
  Reply reply;
  reply.wanted = false;
  return reply;
}

}  // namespace heddle::emulation
