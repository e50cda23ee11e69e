#include "driver/emulation/compatibility/shim_sockets.h"

#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "driver/emulation/compatibility/channel.h"
#include "driver/emulation/compatibility/shim_processes.h"
#include "driver/emulation/compatibility/shim_threads.h"

namespace heddle::emulation {
namespace {

constexpr long kLongWait = 60;  // seconds; the shim waits longer for a device's first socket, shorter for its second

bool posting = false;
// Never destroyed: devices may be closed after the library's variables.
struct Sockets {
  std::mutex mutex;
  std::map<int, std::shared_ptr<Channel>> channels;
  std::map<const void*, std::weak_ptr<Channel>> of_device;
  std::set<int> links;  // sockets that devices reach the host's memory through
};
Sockets& sockets() {
  static Sockets& all = *new Sockets;
  return all;
}

thread_local const void* loading = nullptr;

std::shared_ptr<Channel> channel_of(int descriptor) {
  const std::lock_guard lock(sockets().mutex);
  const auto channel = sockets().channels.find(descriptor);
  return channel == sockets().channels.end() ? nullptr : channel->second;
}

bool is_link(int descriptor) {
  const std::lock_guard lock(sockets().mutex);
  return sockets().links.count(descriptor) != 0;
}

std::string name_of(int socket) {
  sockaddr_un address{};
  socklen_t length = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0 || address.sun_family != AF_UNIX) {
    return {};
  }
  const std::string_view path(address.sun_path, strnlen(address.sun_path, sizeof address.sun_path));
  return std::string(path.substr(path.rfind('/') + 1));
}

// The device is gone: let the shim's thread on this socket believe that it asks to close, which ends the thread.
ssize_t end_of_link(void* data, std::size_t bytes) {
  const auto header = encode(RequestHeader{Call::close, 0});
  const std::size_t part = std::min(bytes, header.size());
  std::memcpy(data, header.data(), part);
  return static_cast<ssize_t>(part);
}

}  // namespace

void set_posting(bool post) { posting = post; }

void set_loading(const void* device) { loading = device; }

void check_lost(const void* device) {
  std::shared_ptr<Channel> channel;
  {
    const std::lock_guard lock(sockets().mutex);
    const auto entry = sockets().of_device.find(device);
    if (entry != sockets().of_device.end()) channel = entry->second.lock();
  }
  if (channel != nullptr && channel->lost()) throw std::runtime_error(channel->reason());
}

int accept_hook(int listener, sockaddr* address, socklen_t* length) {
  const int descriptor = ::accept4(listener, address, length, SOCK_CLOEXEC);
  if (descriptor < 0) return descriptor;
  const std::lock_guard lock(sockets().mutex);
  if (name_of(listener).starts_with("D2X")) {
    sockets().links.insert(descriptor);
  } else {
    load_succeeded();
    const auto channel = std::make_shared<Channel>(descriptor, started_here(), posting);
    sockets().channels[descriptor] = channel;
    std::erase_if(sockets().of_device, [](const auto& entry) { return entry.second.expired(); });
    sockets().of_device[loading] = channel;
  }
  return descriptor;
}

ssize_t read_hook(int descriptor, void* data, std::size_t bytes) {
  if (const auto channel = channel_of(descriptor)) return channel->read(data, bytes);
  const ssize_t got = ::read(descriptor, data, bytes);
  return got == 0 && bytes != 0 && is_link(descriptor) ? end_of_link(data, bytes) : got;
}

ssize_t write_hook(int descriptor, const void* data, std::size_t bytes) {
  if (const auto channel = channel_of(descriptor)) {
    const ssize_t sent = channel->write(data, bytes);
    if (channel->last_call() == Call::close) set_closing(channel->device());
    return sent;
  }
  return is_link(descriptor) ? ::send(descriptor, data, bytes, MSG_NOSIGNAL) : ::write(descriptor, data, bytes);
}

int close_hook(int descriptor) {
  {
    const std::lock_guard lock(sockets().mutex);
    sockets().channels.erase(descriptor);
    sockets().links.erase(descriptor);
  }
  return ::close(descriptor);
}

int select_hook(int count, fd_set* readable, fd_set* writable, fd_set* exceptional, timeval* limit) {
  if (readable == nullptr || limit == nullptr) return ::select(count, readable, writable, exceptional, limit);
  const bool first_socket = limit->tv_sec > kLongWait;
  const fd_set wanted = *readable;
  // In slices, to see a device that ended; and for the second socket briefly, because closing waits for the end of it.
  for (long slices = first_socket ? limit->tv_sec * 10 : 10; slices > 0; --slices) {
    *readable = wanted;
    timeval slice{0, 100'000};
    const int ready = ::select(count, readable, nullptr, nullptr, &slice);
    if (ready != 0) return ready;
    end_if_load_failed();
    if (first_socket && has_ended(started_here())) {
      ::close(count - 1);
      load_failed();
      throw std::runtime_error("the emulated board's process ended before it could be used; what it said stands above");
    }
  }
  FD_ZERO(readable);
  return 0;
}

}  // namespace heddle::emulation
