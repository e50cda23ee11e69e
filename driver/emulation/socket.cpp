#include "driver/emulation/socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "driver/emulation/readiness.h"

namespace heddle::emulation {
namespace {

constexpr std::chrono::milliseconds kForever{-1};  // hosts may think as long as they like

iovec part(std::span<const std::byte> data) { return {const_cast<std::byte*>(data.data()), data.size()}; }

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

std::optional<Socket> Socket::connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return std::nullopt;
  }
  return socket;
}

bool Socket::receive(std::span<std::byte> data) {
  while (!data.empty()) {
    if (!await_ready(descriptor_, POLLIN, kForever)) return false;
    const ssize_t count = recv(descriptor_, data.data(), data.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data = data.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool Socket::send(std::span<const std::byte> first, std::span<const std::byte> second,
                  std::span<const std::byte> third) {
  std::array<iovec, 3> parts{part(first), part(second), part(third)};
  std::size_t at = 0;
  while (at < parts.size()) {
    msghdr message{};
    message.msg_iov = &parts[at];
    message.msg_iovlen = parts.size() - at;
    ssize_t count = sendmsg(descriptor_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN && await_ready(descriptor_, POLLOUT, kForever)) continue;
    if (count < 0) return false;
    for (; at < parts.size() && static_cast<std::size_t>(count) >= parts[at].iov_len; ++at) {
      count -= static_cast<ssize_t>(parts[at].iov_len);
    }
    if (at < parts.size()) {
      parts[at].iov_base = static_cast<std::byte*>(parts[at].iov_base) + count;
      parts[at].iov_len -= static_cast<std::size_t>(count);
    }
  }
  return true;
}

bool Socket::readable(std::chrono::milliseconds limit) const { return await_ready(descriptor_, POLLIN, limit); }

}  // namespace heddle::emulation
