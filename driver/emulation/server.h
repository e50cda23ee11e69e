// Answers a host's requests over a connection while the board's kernels run.
//
// A running kernel advances whenever no request is waiting. A host that asks a running kernel's CTRL is answered when
// the kernel is done or after a short time, so that polling costs little; the time is shorter while the host also does
// other things with the board.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "driver/emulation/board.h"
#include "driver/emulation/dispatcher.h"
#include "driver/emulation/faults.h"
#include "driver/emulation/socket.h"

namespace heddle::emulation {

enum class End { closed, host_gone };

class Server {
 public:
  Server(EmulatedBoard& board, Faults& faults);

  // Serves until the host closes the device or is gone. Calls `closing` before the answer to the last request.
  // Throws what Dispatcher::handle throws.
  End serve(Socket& host, const std::function<void()>& closing);

 private:
  using Clock = std::chrono::steady_clock;

  void advance_until_request(Socket& host);
  void long_poll(std::span<const std::byte> body);
  bool answer(Socket& host, const Reply& reply);
  void apply_process_faults(Socket& host);

  EmulatedBoard& board_;
  Faults& faults_;
  Dispatcher dispatcher_;
  std::vector<std::byte> body_;
  Clock::duration patience_{};  // of the next long poll
};

}  // namespace heddle::emulation
