// Which threads are the shim's own, and what they inherit from the thread that starts them.
#pragma once

#include <thread>

namespace heddle::emulation {

// True in threads that the shim started: an exception there would end the program.
bool in_shim_thread();

// In place of std::thread::_M_start_thread, as the shim calls it: same arguments, the object first.
void start_thread_hook(std::thread* thread, std::thread::_State_ptr state, void (*)());

}  // namespace heddle::emulation
