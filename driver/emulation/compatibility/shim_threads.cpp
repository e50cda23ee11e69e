#include "driver/emulation/compatibility/shim_threads.h"

#include <utility>

#include "driver/emulation/compatibility/shim_environment.h"

namespace heddle::emulation {
namespace {

thread_local bool shim_thread = false;

}  // namespace

bool in_shim_thread() { return shim_thread; }

void start_thread_hook(std::thread* thread, std::thread::_State_ptr state, void (*)()) {
  *thread = std::thread([state = std::move(state), overlay = thread_overlay()] {
    shim_thread = true;
    set_thread_overlay(overlay);
    state->_M_run();
  });
}

}  // namespace heddle::emulation
