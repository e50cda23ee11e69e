// Lowers the graph of a training step, or of a prediction, to one program.
//
// What the compiler can lower: chains of matmul [+ add_row] [+ relu] on inputs and activations, their gradients as
// autodiff writes them, softmax cross-entropy with its gradient and the count of right answers, and SGD with momentum.
// Activations and gradients stay in the unified buffer, weights stream through it. Anything else, or activations that
// do not fit, is a CompileError that says what.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "host/compiler/state_layout.h"

namespace heddle::compiler {

// Lane 0 of each row.
inline constexpr std::uint64_t kLossRow = 0;     // sum over the samples
inline constexpr std::uint64_t kCorrectRow = 1;  // count

struct StepProgram {
  Program program;
  // By name of the input node. Labels are fp32, each replicated over kLanes columns.
  std::map<std::string, DeviceTensor> inputs;
  std::optional<DeviceTensor> metrics;  // 2 x 16: rows as above
  std::optional<DeviceTensor> output;   // rows x columns of `output`, fp32
};

// `output`: a node to store, if any.
StepProgram compile_step(const graph::Graph& graph, const StateLayout& state, const config::Config& config,
                         std::optional<graph::NodeId> output = {});

}  // namespace heddle::compiler
