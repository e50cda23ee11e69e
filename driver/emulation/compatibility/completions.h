// When a kernel was last seen to be done, and a wait with a limit on top of it.
#pragma once

namespace heddle::emulation {

// A poll of the shim's scheduler just said that a kernel is done.
void kernel_completed();

// Rests for a moment: short enough for the latency of calls, long enough to leave the processor to the device.
void nap();

// In place of the shim's exec_wait. Zero if nothing completed for `timeout_ms`, else one: the caller looks at its
// command and comes again. Limits count from the last completion, or from the first call after a pause.
int wait_for_completion(const void* device, int timeout_ms);

}  // namespace heddle::emulation
