// A compute unit of an emulated board: registers in a window of the board's address map, and time that passes.
#pragma once

#include <cstdint>

namespace heddle::emulation {

// Offsets are bytes within the unit's window and multiples of four. Offset 0 is CTRL as Vitis defines ap_ctrl_hs: bit 0
// ap_start, 1 ap_done (clears when read), 2 ap_idle, 3 ap_ready.
class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual void write(std::uint32_t offset, std::uint32_t value) = 0;
  virtual std::uint32_t read(std::uint32_t offset) = 0;

  // True from its start until it is done.
  virtual bool running() const = 0;

  // How often it was started.
  virtual std::uint64_t runs() const = 0;

  // Lets some time pass for a running kernel: well under a millisecond of the host's.
  virtual void advance() = 0;
};

}  // namespace heddle::emulation
