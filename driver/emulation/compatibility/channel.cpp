#include "driver/emulation/compatibility/channel.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>

#include "driver/emulation/compatibility/completions.h"
#include "driver/emulation/compatibility/shim_threads.h"
#include "driver/emulation/readiness.h"
#include "driver/emulation/reply_limit.h"

namespace heddle::emulation {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kSmallReply = 4096;                // is received at once
constexpr std::size_t kMostPosted = 1 << 16;             // bytes
constexpr std::uint32_t kControlMask = 0xFF;             // compute units start at multiples of 256, with their CTRL
constexpr std::uint32_t kStart = 1, kDoneAndIdle = 0xE;  // of CTRL

Field field_of(std::span<const std::byte> body, std::uint32_t wanted) {
  MessageReader reader(body);
  while (const auto field = reader.next()) {
    if (field->number == wanted) return *field;
  }
  return {};
}

// The first bits of a field of bytes, as a register has them.
std::uint32_t low_bits(const Field& field) {
  return field.bytes.empty() ? 0 : std::to_integer<std::uint32_t>(field.bytes[0]);
}

// The shim sends as many bytes along as it wants to have; they mean nothing.
std::vector<std::byte> without_junk(std::span<const std::byte> copy_from_device) {
  MessageWriter slim;
  MessageReader reader(copy_from_device);
  while (const auto field = reader.next()) {
    if (field->number >= 4) slim.number(field->number, field->value);  // address, size, offset, space
  }
  return slim.message();
}

// How a process of ours ended, without taking the news from whoever waits for it. Empty while it lives.
std::string ending_of(pid_t process) {
  siginfo_t info{};
  for (int i = 0; i < 200; ++i) {
    if (waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return "ended";
    if (info.si_pid == process) {
      const char* what = info.si_code == CLD_EXITED ? "ended with exit code " : "was ended by signal ";
      return what + std::to_string(info.si_status);
    }
    std::this_thread::sleep_for(1ms);
  }
  return {};
}

// Destructors and the shim's own threads cannot let an exception pass.
bool may_throw(Call call) {
  return !in_shim_thread() && std::uncaught_exceptions() == 0 && call != Call::close && call != Call::release &&
         call != Call::messages;
}

}  // namespace

Channel::~Channel() { forget_runs(); }

ssize_t Channel::write(const void* data, std::size_t bytes) {
  const std::span all(static_cast<const std::byte*>(data), bytes);
  if (!in_request_) {
    if (bytes != kRequestHeaderBytes) throw WireError("XRT's emulation shim sent something else than a request");
    std::copy(all.begin(), all.end(), header_bytes_.begin());
    header_ = decode_request_header(header_bytes_);
    in_request_ = true;
  } else {
    if (bytes != header_.bytes) throw WireError("XRT's emulation shim sent half a request");
    in_request_ = false;
    send(all);
  }
  return static_cast<ssize_t>(bytes);
}

void Channel::send(std::span<const std::byte> body) {
  ready_.clear();
  taken_ = 0;
  switch (header_.call) {
    case Call::read_registers:
      address_ = field_of(body, 2).value;
      wanted_ = field_of(body, 3).value;
      break;
    case Call::write_registers:
      address_ = field_of(body, 2).value;
      note_start(body);
      break;
    case Call::copy_from_device:
    case Call::copy_to_device:
      wanted_ = field_of(body, 5).value;
      break;
    default:
      break;
  }
  std::vector<std::byte> slim;
  if (post_ && header_.call == Call::copy_from_device) {
    slim = without_junk(body);
    header_bytes_ = encode(RequestHeader{header_.call, slim.size()});
    body = slim;
  }
  if (lost_.empty() && post_ && header_.call == Call::write_registers && post(body)) return;
  // Threads of the shim ask for messages until they are told to end, which is after the device was closed.
  const bool closed = closed_;
  closed_ = closed_ || header_.call == Call::close;
  if (!closed && lost_.empty() && !transmit(body)) lose("closed its connection");
  if (closed || !lost_.empty()) answer_for_the_device();
}

// A start goes out at once, so that the kernel runs while the host thinks of something else.
bool Channel::post(std::span<const std::byte> body) {
  const bool control = (address_ & kControlMask) == 0;
  if (posted_.size() + body.size() > kMostPosted) return false;
  posted_.insert(posted_.end(), header_bytes_.begin(), header_bytes_.end());
  posted_.insert(posted_.end(), body.begin(), body.end());
  if (control) {
    header_bytes_ = {};
    if (!transmit({})) return false;
  }
  MessageWriter reply;
  reply.number(1, true);
  const auto head = encode_reply_header(reply.message().size());
  ready_.assign(head.begin(), head.end());
  ready_.insert(ready_.end(), reply.message().begin(), reply.message().end());
  return true;
}

// Sends what was posted, and the request that header_bytes_ and `body` make unless the header is empty.
bool Channel::transmit(std::span<const std::byte> body) {
  const auto posted_head = encode(RequestHeader{Call::posted, posted_.size()});
  std::array<iovec, 4> parts{};
  std::size_t count = 0;
  const auto add = [&](std::span<const std::byte> part) {
    parts[count++] = {const_cast<std::byte*>(part.data()), part.size()};
  };
  if (!posted_.empty()) {
    add(posted_head);
    add(posted_);
  }
  if (header_bytes_[0] != std::byte{}) {
    add(header_bytes_);
    add(body);
  }
  for (std::size_t at = 0; at < count;) {
    msghdr message{};
    message.msg_iov = &parts[at];
    message.msg_iovlen = count - at;
    ssize_t sent = sendmsg(descriptor_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN && await_ready(descriptor_, POLLOUT, reply_limit())) continue;
    if (sent < 0) return false;
    for (; at < count && static_cast<std::size_t>(sent) >= parts[at].iov_len; ++at) {
      sent -= static_cast<ssize_t>(parts[at].iov_len);
    }
    if (at < count) {
      parts[at].iov_base = static_cast<std::byte*>(parts[at].iov_base) + sent;
      parts[at].iov_len -= static_cast<std::size_t>(sent);
    }
  }
  posted_.clear();
  return true;
}

ssize_t Channel::read(void* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  if (ready_.empty()) {  // the first bytes of a reply
    ready_.resize(kSmallReply);
    const std::size_t got = receive(ready_);
    ready_.resize(got);
    if (got == 0) answer_for_the_device();
    note_completion();
  }
  if (taken_ < ready_.size()) {
    const std::size_t part = std::min(bytes, ready_.size() - taken_);
    std::memcpy(data, &ready_[taken_], part);
    taken_ += part;
    return static_cast<ssize_t>(part);
  }
  const std::size_t got = receive({static_cast<std::byte*>(data), bytes});
  if (got == 0) fail();
  return static_cast<ssize_t>(got);
}

// Some bytes, or none if the device is lost.
std::size_t Channel::receive(std::span<std::byte> data) {
  const std::chrono::seconds limit = reply_limit();
  for (;;) {
    if (!await_ready(descriptor_, POLLIN, limit)) {
      lose("gave no answer to call " + std::to_string(static_cast<std::uint32_t>(header_.call)) + " within " +
           std::to_string(limit.count()) + " s (HEDDLE_EMULATION_REPLY_LIMIT)");
      return 0;
    }
    const ssize_t got = recv(descriptor_, data.data(), data.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      lose("closed its connection");
      return 0;
    }
    return static_cast<std::size_t>(got);
  }
}

void Channel::note_start(std::span<const std::byte> body) {
  const bool start = (address_ & kControlMask) == 0 && (low_bits(field_of(body, 4)) & kStart) != 0;
  if (start && lost_.empty() && running_.insert(address_).second) kernel_started();
}

// Looks at a whole, small reply.
void Channel::note_completion() {
  if (header_.call != Call::read_registers || running_.count(address_) == 0 || ready_.size() < kReplyHeaderBytes)
    return;
  const auto body = std::span<const std::byte>(ready_).subspan(kReplyHeaderBytes);
  if ((low_bits(field_of(body, 2)) & kDoneAndIdle) == 0) return;
  running_.erase(address_);
  kernel_completed();
}

void Channel::forget_runs() {
  for (std::size_t i = 0; i < running_.size(); ++i) kernel_completed();
  running_.clear();
}

void Channel::lose(const std::string& how) {
  std::string ending = ending_of(device_);
  if (ending.empty()) {
    kill(device_, SIGKILL);
    ending = "was stopped";
  }
  lost_ = "the emulated board is lost: its process " + std::to_string(device_) + " " + how + " and " + ending +
          "; open the device again";
  gone_ = true;
  std::fprintf(stderr, "heddle: %s\n", lost_.c_str());
}

void Channel::fail() const {
  release_shim_lock();
  throw std::runtime_error(lost_);
}

void Channel::answer_for_the_device() {
  if (!closed_ && may_throw(header_.call)) fail();
  MessageWriter reply;
  switch (header_.call) {
    case Call::messages:
      break;
    case Call::read_registers: {
      std::vector<std::byte> registers(wanted_);
      if (!registers.empty()) registers[0] = std::byte{kDoneAndIdle};
      reply.number(1, true).bytes(2, registers);
      break;
    }
    case Call::copy_from_device:
      reply.number(1, wanted_).bytes(2, std::vector<std::byte>(wanted_));
      break;
    case Call::copy_to_device:
      reply.number(1, wanted_);
      break;
    default:
      reply.number(1, true);
      break;
  }
  const auto head = encode_reply_header(reply.message().size());
  ready_.assign(head.begin(), head.end());
  ready_.insert(ready_.end(), reply.message().begin(), reply.message().end());
  taken_ = 0;
  note_completion();
}

}  // namespace heddle::emulation
