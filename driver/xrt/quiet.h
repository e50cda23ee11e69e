// While this lives, nothing that XRT prints on standard output gets there: a program's output is its own. What went
// well needs no report; otherwise what XRT said is passed on to standard error, also where XRT ends the process.
//
// XRT's emulation also forks, and what is buffered then would appear twice; so buffers are emptied first. One at a time
// in a process.
#pragma once

namespace heddle::driver {

class HeldOutput {
 public:
  HeldOutput();
  ~HeldOutput();
  HeldOutput(const HeldOutput&) = delete;
  HeldOutput& operator=(const HeldOutput&) = delete;

  void went_well() { well_ = true; }

 private:
  bool well_ = false;
};

}  // namespace heddle::driver
