#include "driver/emulation/compatibility/shim_processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "driver/emulation/compatibility/shim_environment.h"

namespace heddle::emulation {
namespace {

using namespace std::chrono_literals;

constexpr auto kEndLimit = 5s;  // for a device to end once it was closed

thread_local pid_t started = 0, closing = 0;

}  // namespace

pid_t started_here() { return started; }
void set_closing(pid_t device) { closing = device; }

bool has_ended(pid_t device) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(device), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == device;
}

pid_t fork_hook() {
  const pid_t process = ::fork();
  if (process == 0) export_overlay();
  if (process > 0) started = process;
  return process;
}

pid_t waitpid_hook(pid_t process, int* status, int options) {
  if (process != 0) return ::waitpid(process, status, options);
  if (closing == 0) return 0;
  const pid_t device = std::exchange(closing, 0);
  const auto end = std::chrono::steady_clock::now() + kEndLimit;
  while (!has_ended(device)) {
    if (std::chrono::steady_clock::now() >= end) {
      std::fprintf(stderr, "heddle: the emulated board's process %d did not end within 5 s and was stopped\n", device);
      ::kill(device, SIGKILL);
      break;
    }
    std::this_thread::sleep_for(1ms);
  }
  ::waitpid(device, status, 0);
  return device;
}

int kill_hook(pid_t process, int signal) { return process == 0 ? ::raise(signal) : ::kill(process, signal); }

int sigaction_hook(int, const struct sigaction*, struct sigaction*) { return 0; }

int system_hook(const char* command) {
  return std::string_view(command).starts_with("chmod -R 777 ") ? 0 : std::system(command);
}

}  // namespace heddle::emulation
