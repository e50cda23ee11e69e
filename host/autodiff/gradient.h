// Reverse-mode differentiation: extends a graph by the gradient of its loss.
#pragma once

#include <functional>

#include "host/graph/graph.h"

namespace heddle::autodiff {

// Appends the nodes that compute the gradient of the mean loss, from the node `loss` (softmax_cross_entropy) back to
// the parameters. `on_parameter(parameter, gradient)` is called as soon as a parameter's gradient is complete, so that
// its update can be appended while the backward pass still goes on. Only what leads to a parameter is differentiated.
// Throws CompileError when the loss depends on a node that has no derivative.
void differentiate(graph::Graph& graph, graph::NodeId loss,
                   const std::function<void(graph::NodeId parameter, graph::NodeId gradient)>& on_parameter);

}  // namespace heddle::autodiff
