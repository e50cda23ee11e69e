// The shim's own threads, and its locks in ours.
#pragma once

#include <pthread.h>

#include <thread>

namespace heddle::emulation {

// True in threads that the shim started: an exception there would end the program.
bool in_shim_thread();

// The shim starts some threads for a device while it loads, and waits for them when it closes; but only if the load
// succeeds does it ever tell them to end. Between them:
void load_succeeded();  // the threads that this one started since belong to a device that lives
void load_failed();     // they belong to one that never will
// Ends the calling thread of the shim's if its load failed.
void end_if_load_failed();

// For an exception that leaves the shim: gives up the lock that the shim took last and would not give up itself.
void release_shim_lock();

// In place of std::thread::_M_start_thread, as the shim calls it: same arguments, the object first.
void start_thread_hook(std::thread* thread, std::thread::_State_ptr state, void (*)());
// In place of the shim's pthread_mutex_lock and pthread_mutex_unlock.
int lock_hook(pthread_mutex_t* mutex);
int unlock_hook(pthread_mutex_t* mutex);

}  // namespace heddle::emulation
