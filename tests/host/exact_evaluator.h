// Evaluates a graph in the accelerator's numerics, one node after the other, in plain loops: what compiled steps are
// compared with.
//
// Operands of matmul and row_sum are rounded to bf16, as stored activations are. Orders of summation are those of
// docs/design.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/graph/graph.h"

namespace heddle::testing_support {

using Bits = std::vector<std::uint32_t>;  // fp32, row-major

struct ExactState {
  std::map<std::string, Bits> master;
  std::map<std::string, Bits> momentum;  // missing: zeros
};

struct ExactBatch {
  std::vector<std::uint16_t> features;  // of the input with more than one column or with matmul consumers
  std::vector<std::uint32_t> labels;
};

// Values of all nodes; updates go to `state`. Inputs are called `features` and `labels`.
std::vector<Bits> evaluate_exactly(const graph::Graph& graph, ExactState& state, const ExactBatch& batch,
                                   float learning_rate);

}  // namespace heddle::testing_support
