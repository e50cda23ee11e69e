#include "driver/emulation/readiness.h"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>

namespace heddle::emulation {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kLook{200};

}  // namespace

bool await_ready(int descriptor, short events, std::chrono::milliseconds limit) {
  pollfd entry{descriptor, events, 0};
  const Clock::time_point start = Clock::now(), end = start + limit;
  while (poll(&entry, 1, 0) <= 0) {
    const Clock::time_point now = Clock::now();
    if (now - start < kLook && (limit.count() < 0 || now < end)) {
      sched_yield();
      continue;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
    const int ready = poll(&entry, 1, limit.count() < 0 ? -1 : static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
  return true;
}

}  // namespace heddle::emulation
