#include "host/compiler/step_context.h"

namespace heddle::compiler {

Activation StepContext::new_activation(const graph::Node& node) {
  Activation activation;
  activation.matrix.pitch = odd_pitch(panels_of(node.shape.columns));
  const std::uint64_t lines = divide_up(node.shape.rows, kLanes) * kLanes * activation.matrix.pitch;
  if (lines > machine.ub_lines) buffer.allocate(machine.ub_lines + 1, node.name);  // says what does not fit
  activation.matrix.line =
      buffer.allocate(static_cast<std::uint32_t>(lines), node.name + " (" + to_string(node.shape) + ")");
  return activation;
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
