// Which kernels were started and seen to be done, and a wait with a limit on top of it.
#pragma once

namespace heddle::emulation {

// A start was sent to a device; a poll of the shim's scheduler said that the kernel is done, or its device is gone.
void kernel_started();
void kernel_completed();
// Whether the shim's scheduler has started a kernel lately. Programs that only use registers have none.
bool scheduler_is_in_use();
// Whether some kernel of this process was started and not yet seen to be done.
bool kernels_run();

// Rests until a kernel completes, at most a short time. The scheduler marks the command a moment after that.
void rest();

// In place of the shim's exec_wait. Zero if nothing completed for `timeout_ms`, else one: the caller looks at its
// command and comes again. Limits count from the last completion, or from the first call after a pause. Throws
// std::runtime_error if the device is lost.
int wait_for_completion(const void* device, int timeout_ms);

}  // namespace heddle::emulation
