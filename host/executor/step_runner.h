// Runs a compiled step, batch after batch. While one batch is computed the next one is prepared and uploaded.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "host/compiler/step.h"
#include "host/executor/device_program.h"
#include "host/executor/device_state.h"

namespace heddle {

// The samples of a batch as the host has them; `labels` may be empty for a program without labels.
struct BatchData {
  std::vector<std::uint16_t> features;  // rows x columns, bf16
  std::vector<std::uint32_t> labels;
};

struct StepResult {
  double loss_sum = 0;
  std::uint64_t correct = 0;
  std::vector<float> output;  // rows x columns
  driver::Counters counters;
};

class StepRunner {
 public:
  // The inputs are called as in the graph; `labels` is ignored where the program has none.
  StepRunner(driver::Device& device, const DeviceState& state, compiler::StepProgram step, std::string features,
             std::string labels);

  void set(compiler::ConstantName name, float value) { program_.set(name, value); }
  // Uploads what the next `start` will work on. May be called while a step runs.
  void stage(const BatchData& batch);
  void start();
  StepResult wait();

 private:
  driver::Device& device_;
  compiler::StepProgram step_;
  DeviceProgram program_;
  std::string features_;
  std::string labels_;
  std::array<SlotBuffers, 2> slots_;  // state, batch and results; the batch's buffers differ
  std::size_t staged_ = 0;
  std::size_t running_ = 0;
};

}  // namespace heddle
