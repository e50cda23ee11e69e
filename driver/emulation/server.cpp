#include "driver/emulation/server.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>
#include <thread>

namespace heddle::emulation {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortestPoll = 50us, kLongestPoll = 10000us;
constexpr auto kIdle = 500ms;  // between looks at whether the host lives

// The address of a read_registers request.
std::uint64_t address_of(std::span<const std::byte> body) {
  MessageReader reader(body);
  while (const auto field = reader.next()) {
    if (field->number == 2) return field->value;
  }
  return 0;
}

}  // namespace

Server::Server(EmulatedBoard& board, Faults& faults)
    : board_(board),
      faults_(faults),
      dispatcher_(board,
                  [&faults](std::string_view key, std::string_view value) {
                    if (key == "heddle_faults") faults = Faults::parse(value);
                  }),
      patience_(kShortestPoll) {}

End Server::serve(Socket& host, const std::function<void()>& closing) {
  std::array<std::byte, kRequestHeaderBytes> header_bytes;
  for (;;) {
    advance_until_request(host);
    if (!host.receive(header_bytes)) return End::host_gone;
    const RequestHeader header = decode_request_header(header_bytes);
    body_.resize(header.bytes);
    if (!host.receive(body_)) return End::host_gone;

    if (header.call == Call::read_registers) {
      long_poll(body_);
    } else {
      patience_ = kShortestPoll;
    }
    const Reply reply = dispatcher_.handle(header.call, body_);
    if (reply.last) closing();
    if (reply.wanted && !answer(host, reply)) return End::host_gone;
    if (reply.last) return End::closed;
  }
}

void Server::advance_until_request(Socket& host) {
  for (;;) {
    const bool running = board_.running();
    if (running) board_.advance();
    apply_process_faults(host);
    if (host.readable(running ? 0ms : kIdle)) return;
  }
}

void Server::long_poll(std::span<const std::byte> body) {
  const std::uint64_t address = address_of(body);
  if (board_.running_at(address) == nullptr) return;
  const Clock::time_point end = Clock::now() + patience_;
  while (board_.running_at(address) != nullptr && Clock::now() < end) board_.advance();
  patience_ = std::min<Clock::duration>(patience_ * 2, kLongestPoll);
}

bool Server::answer(Socket& host, const Reply& reply) {
  if (const auto delay = faults_.delay(); delay != 0ms) std::this_thread::sleep_for(delay);
  const auto& message = reply.message.message();
  return host.send(encode_reply_header(message.size() + reply.rest.size()), message, reply.rest);
}

void Server::apply_process_faults(Socket& host) {
  if (board_.runs() == 0) return;
  if (faults_.in_run(FaultKind::crash, board_.runs())) std::raise(SIGKILL);
  if (faults_.in_run(FaultKind::silent, board_.runs())) {
    std::array<std::byte, 64> lost;
    while (host.receive(lost)) {
    }
  }
}

}  // namespace heddle::emulation
