#include "host/api/model_graph.h"

#include "host/autodiff/gradient.h"

namespace heddle {
namespace {

graph::NodeId append_layers(graph::Graph& graph, const ModelSpec& spec, graph::NodeId x) {
  for (const Dense& layer : spec.layers) {
    const std::uint64_t features = graph[x].shape.columns;
    const auto kernel = graph.parameter(kernel_name(layer), {features, layer.units});
    const auto bias = graph.parameter(bias_name(layer), {1, layer.units});
    x = graph.add_row(graph.matmul(x, kernel), bias);
    if (layer.activation == Activation::relu) x = graph.relu(x);
  }
  return x;
}

}  // namespace

std::string kernel_name(const Dense& layer) { return layer.name + ".kernel"; }
std::string bias_name(const Dense& layer) { return layer.name + ".bias"; }

ModelGraph prediction_graph(const ModelSpec& spec, std::uint64_t batch) {
  ModelGraph model;
  const auto features = model.graph.input(kFeatures, {batch, spec.features});
  model.logits = append_layers(model.graph, spec, features);
  return model;
}

ModelGraph training_graph(const ModelSpec& spec, std::uint64_t batch, const Sgd& optimizer) {
  ModelGraph model;
  graph::Graph& graph = model.graph;
  const auto features = graph.input(kFeatures, {batch, spec.features});
  const auto labels = graph.input(kLabels, {batch, 1});
  model.logits = append_layers(graph, spec, features);
  const auto loss = graph.softmax_cross_entropy(model.logits, labels);
  graph.correct_count(model.logits, labels);
  autodiff::differentiate(graph, loss, [&](graph::NodeId parameter, graph::NodeId gradient) {
    graph.sgd_update(parameter, gradient, optimizer.momentum);
  });
  return model;
}

}  // namespace heddle
