// Where the parameters of a model lie in device memory: the same for every program of the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/compiler/device_tensor.h"
#include "host/graph/graph.h"

namespace heddle::compiler {

inline constexpr std::uint32_t kStateSlot = 0;  // slots of each group start here
inline constexpr std::uint32_t kBatchSlot = 4;
inline constexpr std::uint32_t kResultSlot = 8;
inline constexpr std::uint32_t kGroupSlots = 4;  // at most

struct ParameterLayout {
  std::string name;
  DeviceTensor master;               // fp32
  DeviceTensor momentum;             // fp32, starts as zeros
  std::optional<DeviceTensor> copy;  // bf16, of parameters that enter the array
};

struct StateLayout {
  std::vector<ParameterLayout> parameters;  // in the order of the graph
  // Of a model with `classes` classes: column c holds classes - c. Lets the device find the first largest logit.
  std::uint64_t classes = 0;
  DeviceTensor class_ranks;
  std::uint64_t slot_lines = 0;  // of each of the state's slots
  std::uint32_t slots = 0;       // how many

  const ParameterLayout& find(const std::string& name) const;
};

// Slots that a group of tensors is spread over.
std::uint32_t bands_of(const Machine& machine);

StateLayout plan_state(const graph::Graph& graph, const config::Config& config);

}  // namespace heddle::compiler
