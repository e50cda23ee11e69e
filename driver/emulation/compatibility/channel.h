// One device's request socket, between the shim that writes and reads it and the device process behind it.
//
// The shim knows requests and replies only as bytes, one request at a time. Here they are seen as messages, so that
//  * writes of registers can be posted: answered at once, and sent with the next request that has to wait anyway;
//  * a device that died or fell silent ends in an exception where the shim would spin for ever. Threads of the shim's
//    own, and calls that come from destructors, get an empty answer instead, because nobody could catch theirs. A
//    running kernel then counts as done, and the next look at its results throws.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "driver/emulation/wire.h"

namespace heddle::emulation {

class Channel {
 public:
  Channel(int descriptor, pid_t device, bool post) : descriptor_(descriptor), device_(device), post_(post) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // As write and read of the system, for the shim. Throw std::runtime_error if the device is lost.
  ssize_t write(const void* data, std::size_t bytes);
  ssize_t read(void* data, std::size_t bytes);

  pid_t device() const { return device_; }
  // Whether the device is lost, and why; from any thread.
  bool lost() const { return gone_; }
  const std::string& reason() const { return lost_; }
  // What the last request was.
  Call last_call() const { return header_.call; }

 private:
  void send(std::span<const std::byte> body);
  bool post(std::span<const std::byte> body);
  bool transmit(std::span<const std::byte> body);
  std::size_t receive(std::span<std::byte> data);
  void lose(const std::string& how);
  [[noreturn]] void fail() const;
  void answer_for_the_device();
  void note_start(std::span<const std::byte> body);
  void note_completion();
  void forget_runs();

  const int descriptor_;
  const pid_t device_;
  const bool post_;

  RequestHeader header_;
  std::array<std::byte, kRequestHeaderBytes> header_bytes_{};
  bool in_request_ = false;          // the header was written, the body not yet
  std::uint64_t address_ = 0;        // that the request is for
  std::uint64_t wanted_ = 0;         // bytes that it asks for
  std::set<std::uint64_t> running_;  // kernels that were started and not seen to be done: addresses of their CTRL
  std::vector<std::byte> posted_;    // requests that nobody waits for, not sent yet
  std::vector<std::byte> ready_;     // an answer that did not come from the device
  std::size_t taken_ = 0;            // of it
  std::string lost_;                 // why the device is lost; does not change once gone_
  std::atomic<bool> gone_{false};
  bool closed_ = false;  // the shim has asked the device to close
};

}  // namespace heddle::emulation
