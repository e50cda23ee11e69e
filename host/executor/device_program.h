// A compiled program in device memory, ready to run.
#pragma once

#include "driver/device.h"
#include "host/compiler/program.h"
#include "host/executor/tensor_transfer.h"

namespace heddle {

class DeviceProgram {
 public:
  DeviceProgram(driver::Device& device, compiler::Program program);

  const compiler::Program& program() const { return program_; }
  // Sets a named constant for the following runs. Not while the program runs.
  void set(compiler::ConstantName name, float value);

  void start(const SlotBuffers& slots);
  // Throws DeviceError that names the error and the word when the program failed.
  driver::Counters wait();

 private:
  void write_word(std::size_t index);

  driver::Device& device_;
  compiler::Program program_;
  driver::BufferPtr buffer_;
};

}  // namespace heddle
