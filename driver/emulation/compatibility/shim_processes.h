// Device processes, as the shim starts, ends and signals them.
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace heddle::emulation {

// The device process that this thread started last; 0: none.
pid_t started_here();
// Which device the next wait_hook(0, ...) of this thread is for.
void set_closing(pid_t device);
// Text of how a device ended, if it has; it is then no longer waited for.
bool has_ended(pid_t device);

// In place of the shim's fork, waitpid, kill, sigaction and system.
pid_t fork_hook();
pid_t waitpid_hook(pid_t process, int* status, int options);
int kill_hook(pid_t process, int signal);
int sigaction_hook(int signal, const struct sigaction* action, struct sigaction* old);
int system_hook(const char* command);

}  // namespace heddle::emulation
