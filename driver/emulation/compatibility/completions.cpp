#include "driver/emulation/compatibility/completions.h"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <atomic>
#include <chrono>

namespace heddle::emulation {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kPause = 20ms;  // between two calls of one wait there is less
constexpr long kNapNanoseconds = 20'000;

std::atomic<Clock::rep> last_completion{0};

}  // namespace

void kernel_completed() { last_completion = Clock::now().time_since_epoch().count(); }

void nap() {
  thread_local unsigned calls = 0;
  if (calls == 0) prctl(PR_SET_TIMERSLACK, 1);  // else a nap is three times as long
  if (++calls % 8 != 0) {
    sched_yield();
    return;
  }
  const timespec time{0, kNapNanoseconds};
  nanosleep(&time, nullptr);
}

int wait_for_completion(const void*, int timeout_ms) {
  thread_local Clock::time_point first, last;
  nap();
  const Clock::time_point now = Clock::now(), completion{Clock::duration(last_completion.load())};
  if (now - last > kPause) first = now;
  if (completion > first) first = completion;
  last = now;
  if (timeout_ms <= 0 || now - first < std::chrono::milliseconds(timeout_ms)) return 1;
  first = now;
  return 0;
}

}  // namespace heddle::emulation
