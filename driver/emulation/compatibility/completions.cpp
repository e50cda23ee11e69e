#include "driver/emulation/compatibility/completions.h"

#include <sys/prctl.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "driver/emulation/compatibility/shim_sockets.h"
#include "driver/emulation/compatibility/shim_threads.h"

namespace heddle::emulation {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLongestRest = 1ms;
constexpr auto kNap = 20us;     // after a completion, until the command is marked
constexpr auto kMarking = 2ms;  // the command is marked within that
constexpr auto kPause = 100ms;  // between two calls of one wait there is less

// Never destroyed: devices may be closed after the library's variables.
struct Completions {
  std::mutex mutex;
  std::condition_variable one;
  Clock::time_point last{};
  Clock::time_point scheduled{};  // last start by the shim's scheduler
  unsigned running = 0;
};
Completions& completions() {
  static Completions& all = *new Completions;
  return all;
}

Clock::time_point last() {
  const std::lock_guard lock(completions().mutex);
  return completions().last;
}

}  // namespace

void kernel_started() {
  const std::lock_guard lock(completions().mutex);
  ++completions().running;
  if (in_shim_thread()) completions().scheduled = Clock::now();
}

bool scheduler_is_in_use() {
  constexpr auto kLately = 1s;
  const std::lock_guard lock(completions().mutex);
  return Clock::now() - completions().scheduled < kLately;
}

bool kernels_run() {
  const std::lock_guard lock(completions().mutex);
  return completions().running != 0;
}

void kernel_completed() {
  {
    const std::lock_guard lock(completions().mutex);
    --completions().running;
    completions().last = Clock::now();
  }
  completions().one.notify_all();
}

void rest() {
  thread_local const bool exact = prctl(PR_SET_TIMERSLACK, 1) == 0;  // else a nap is three times as long
  static_cast<void>(exact);
  std::unique_lock lock(completions().mutex);
  if (Clock::now() - completions().last < kMarking) {
    lock.unlock();
    std::this_thread::sleep_for(kNap);
    return;
  }
  completions().one.wait_for(lock, kLongestRest);
}

int wait_for_completion(const void* device, int timeout_ms) {
  thread_local Clock::time_point first, previous;
  rest();
  check_lost(device);
  const Clock::time_point now = Clock::now(), completion = last();
  if (now - previous > kPause) first = now;
  if (completion > first) first = completion;
  previous = now;
  if (timeout_ms <= 0 || now - first < std::chrono::milliseconds(timeout_ms)) return 1;
  first = now;
  return 0;
}

}  // namespace heddle::emulation
