// Waiting for a socket of the emulation.
#pragma once

#include <chrono>

namespace heddle::emulation {

// Whether `events` of poll(2) happened at the descriptor within the limit; a negative limit waits for ever. Looks again
// and again for a moment before it sleeps: waking a process on another processor takes ten times as long as most
// requests do, on virtual machines above all.
bool await_ready(int descriptor, short events, std::chrono::milliseconds limit);

}  // namespace heddle::emulation
