// The shim's sockets: which descriptor belongs to which device, and what ends a wait for a device that is gone.
#pragma once

#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>

namespace heddle::emulation {

// Whether writes of registers are posted (channel.h). Set once, before the shim runs.
void set_posting(bool post);

// The device that this thread loads from now on; null: none. An object of XRT, only to tell devices apart.
void set_loading(const void* device);
// Throws std::runtime_error if the process of this device is lost.
void check_lost(const void* device);

// In place of the shim's accept, read, write, close and select. read, write and select throw std::runtime_error for a
// device that is lost.
int accept_hook(int listener, sockaddr* address, socklen_t* length);
ssize_t read_hook(int descriptor, void* data, std::size_t bytes);
ssize_t write_hook(int descriptor, const void* data, std::size_t bytes);
int close_hook(int descriptor);
int select_hook(int count, fd_set* readable, fd_set* writable, fd_set* exceptional, timeval* limit);

}  // namespace heddle::emulation
