// The graphs of a Sequential model for a batch of a given size.
#pragma once

#include <cstdint>
#include <vector>

#include "host/api/layers.h"
#include "host/graph/graph.h"

namespace heddle {

struct ModelSpec {
  std::string name;
  std::uint64_t features = 0;
  std::vector<Dense> layers;
};

inline constexpr char kFeatures[] = "features";
inline constexpr char kLabels[] = "labels";

// Names of a layer's parameters.
std::string kernel_name(const Dense& layer);
std::string bias_name(const Dense& layer);

struct ModelGraph {
  graph::Graph graph;
  graph::NodeId logits = 0;
};

// Prediction only.
ModelGraph prediction_graph(const ModelSpec& spec, std::uint64_t batch);
// Forward, loss, right answers, backward and update.
ModelGraph training_graph(const ModelSpec& spec, std::uint64_t batch, const Sgd& optimizer);

}  // namespace heddle
