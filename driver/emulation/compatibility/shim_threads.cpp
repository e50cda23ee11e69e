#include "driver/emulation/compatibility/shim_threads.h"

#include <atomic>
#include <memory>
#include <utility>

#include "driver/emulation/compatibility/shim_environment.h"

namespace heddle::emulation {
namespace {

struct Load {
  std::atomic<bool> failed{false};
};
struct EndOfThread {};

thread_local bool shim_thread = false;
using LoadPointer = std::shared_ptr<Load>;
thread_local LoadPointer* own_load = nullptr;

// In the shim's threads theirs, in others the one in progress. Not destroyed with the thread: see shim_environment.cpp.
LoadPointer& load() {
  if (own_load == nullptr) own_load = new LoadPointer;
  return *own_load;
}

thread_local pthread_mutex_t* held = nullptr;

}  // namespace

bool in_shim_thread() { return shim_thread; }

void load_succeeded() { load().reset(); }

void load_failed() {
  if (load() != nullptr) load()->failed = true;
  load().reset();
}

void end_if_load_failed() {
  if (shim_thread && load()->failed) throw EndOfThread();
}

void release_shim_lock() {
  if (held != nullptr) pthread_mutex_unlock(std::exchange(held, nullptr));
}

void start_thread_hook(std::thread* thread, std::thread::_State_ptr state, void (*)()) {
  if (load() == nullptr) load() = std::make_shared<Load>();
  *thread = std::thread([state = std::move(state), overlay = thread_overlay(), mine = load()]() mutable {
    shim_thread = true;
    own_load = &mine;
    set_thread_overlay(overlay);
    try {
      state->_M_run();
    } catch (const EndOfThread&) {
    }
  });
}

int lock_hook(pthread_mutex_t* mutex) {
  const int result = pthread_mutex_lock(mutex);
  if (result == 0) held = mutex;
  return result;
}

int unlock_hook(pthread_mutex_t* mutex) {
  if (held == mutex) held = nullptr;
  return pthread_mutex_unlock(mutex);
}

}  // namespace heddle::emulation
