#include "host/compiler/step_context.h"

namespace heddle::compiler {
namespace {

constexpr std::uint32_t kKeptShare = 8;  // weights of at most 1 / 8 of the unified buffer are kept

std::uint32_t matmuls_with(const graph::Graph& graph, graph::NodeId parameter) {
  std::uint32_t count = 0;
  for (const graph::NodeId consumer : graph.consumers(parameter))
    count += graph[consumer].op == graph::Op::matmul ? 1 : 0;
  return count;
}

}  // namespace

Activation StepContext::new_activation(const graph::Node& node) {
  Activation activation;
  const std::uint32_t panels = panels_of(node.shape.columns);
  activation.matrix.pitch = memory_use_ == MemoryUse::fast ? activation_pitch(panels) : odd_pitch(panels);
  const std::uint64_t lines = divide_up(node.shape.rows, kLanes) * kLanes * activation.matrix.pitch;
  if (lines > machine.ub_lines) buffer.allocate(machine.ub_lines + 1, node.name);  // says what does not fit
  activation.matrix.line =
      buffer.allocate(static_cast<std::uint32_t>(lines), node.name + " (" + to_string(node.shape) + ")");
  return activation;
}

Activation* StepContext::kept_weights(graph::NodeId parameter) {
  const auto found = weights_.find(parameter);
  if (found != weights_.end()) return &found->second.copy;
  const graph::Node& node = graph[parameter];
  const std::uint64_t lines =
      divide_up(node.shape.rows, kLanes) * kLanes * activation_pitch(panels_of(node.shape.columns));
  const std::uint32_t uses = matmuls_with(graph, parameter);
  if (memory_use_ == MemoryUse::compact || uses < 2 || lines > machine.ub_lines / kKeptShare) return nullptr;
  KeptWeights& weights = weights_[parameter];
  weights.copy = new_activation(node);
  weights.copy.arriving = true;
  weights.copy.source = *state.find(node.name).copy;
  weights.uses_left = uses;
  return &weights.copy;
}

void StepContext::used_kept_weights(graph::NodeId parameter) {
  KeptWeights& weights = weights_.at(parameter);
  weights.copy.arriving = false;
  if (--weights.uses_left > 0) return;
  release(weights.copy.matrix.line);
  weights_.erase(parameter);
}

void StepContext::later(const std::function<void()>& work) {
  if (memory_use_ == MemoryUse::fast)
    builder.in_background(work);
  else
    work();
}

void StepContext::release(std::uint32_t line) {
  if (builder.background_is_empty())
    buffer.release(line);
  else
    released_.push_back(line);
}

void StepContext::weave(std::size_t count) {
  builder.weave(count);
  if (!builder.background_is_empty()) return;
  for (const std::uint32_t line : released_) buffer.release(line);
  released_.clear();
}

PairMatrix StepContext::new_pairs(std::uint64_t rows, std::uint32_t panels, const std::string& purpose) {
  PairMatrix pairs;
  pairs.pitch = pair_pitch(panels);
  // One pair more than needed: neighbours then start in different banks.
  pairs.line = buffer.allocate(static_cast<std::uint32_t>(rows) * pairs.pitch + 2, purpose);
  return pairs;
}

const RowParameter& StepContext::row_parameter(graph::NodeId parameter, bool with_momentum) {
  const auto found = rows_.find(parameter);
  if (found != rows_.end()) return found->second;
  const graph::Node& node = graph[parameter];
  const ParameterLayout& layout = state.find(node.name);
  const std::uint32_t panels = panels_of(node.shape.columns);
  RowParameter row;
  row.master = new_pairs(1, panels, node.name);
  emit_load(builder, layout.master, {0, 1, 0, 2 * panels}, row.master.line, row.master.pitch);
  if (with_momentum) {
    row.momentum = new_pairs(1, panels, node.name);
    emit_load(builder, layout.momentum, {0, 1, 0, 2 * panels}, row.momentum.line, row.momentum.pitch);
  }
  return rows_[parameter] = row;
}

}  // namespace heddle::compiler
