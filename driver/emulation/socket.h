// A connected Unix socket of our own.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace heddle::emulation {

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;

  // Connects to a path of the file system, or gives nothing if nobody listens there yet.
  static std::optional<Socket> connect(const std::string& path);

  // False if the other side closed before all bytes came or could be sent.
  bool receive(std::span<std::byte> data);
  bool send(std::span<const std::byte> first, std::span<const std::byte> second = {},
            std::span<const std::byte> third = {});

  // Whether something can be received, or the other side has closed, within `limit`.
  bool readable(std::chrono::milliseconds limit) const;

 private:
  int descriptor_;
};

}  // namespace heddle::emulation
