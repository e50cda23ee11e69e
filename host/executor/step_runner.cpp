#include "host/executor/step_runner.h"

#include <cassert>
#include <utility>

namespace heddle {
namespace {

// Each label in all lanes of its row.
std::vector<float> replicated(std::span<const std::uint32_t> labels) {
  std::vector<float> rows(labels.size() * compiler::kLanes);
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t lane = 0; lane < compiler::kLanes; ++lane)
      rows[i * compiler::kLanes + lane] = static_cast<float>(labels[i]);
  return rows;
}

}  // namespace

StepRunner::StepRunner(driver::Device& device, const DeviceState& state, compiler::StepProgram step,
                       std::string features, std::string labels)
    : device_(device),
      step_(std::move(step)),
      program_(device, std::move(step_.program)),
      features_(std::move(features)),
      labels_(std::move(labels)) {
  auto lines = program_.program().slot_lines;
  for (std::uint32_t i = 0; i < compiler::kGroupSlots; ++i) lines[compiler::kStateSlot + i] = 0;
  for (SlotBuffers& slots : slots_) {
    slots = allocate_slots(device_, lines);
    for (std::uint32_t i = 0; i < compiler::kGroupSlots; ++i)
      slots[compiler::kStateSlot + i] = state.slots()[compiler::kStateSlot + i];
  }
}

void StepRunner::stage(const BatchData& batch) {
  staged_ = 1 - running_;
  upload(device_, slots_[staged_], step_.inputs.at(features_), batch.features);
  const auto labels = step_.inputs.find(labels_);
  if (labels != step_.inputs.end()) upload(device_, slots_[staged_], labels->second, replicated(batch.labels));
}

void StepRunner::start() {
  running_ = staged_;
  program_.start(slots_[running_]);
}

StepResult StepRunner::wait() {
  StepResult result;
  result.counters = program_.wait();
  const SlotBuffers& slots = slots_[running_];
  if (step_.metrics) {
    const auto metrics = download(device_, slots, *step_.metrics);
    result.loss_sum = metrics[compiler::kLossRow * step_.metrics->columns];
    result.correct = static_cast<std::uint64_t>(metrics[compiler::kCorrectRow * step_.metrics->columns]);
  }
  if (step_.output) result.output = download(device_, slots, *step_.output);
  return result;
}

}  // namespace heddle
