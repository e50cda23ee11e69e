#include "host/compiler/state_layout.h"

#include <algorithm>
#include <cassert>

namespace heddle::compiler {
namespace {

bool enters_array(const graph::Graph& graph, graph::NodeId parameter) {
  for (const graph::NodeId consumer : graph.consumers(parameter))
    if (graph[consumer].op == graph::Op::matmul) return true;
  return false;
}

}  // namespace

std::uint32_t bands_of(const Machine& machine) { return std::min(machine.ports, kGroupSlots); }

const ParameterLayout& StateLayout::find(const std::string& name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
  assert(found != parameters.end());
  return *found;
}

StateLayout plan_state(const graph::Graph& graph, const config::Config& config) {
  const Machine machine(config);
  StateLayout layout;
  layout.slots = bands_of(machine);
  SlotPlanner planner(kStateSlot, layout.slots);
  for (graph::NodeId id = 0; id < graph.size(); ++id) {
    const graph::Node& node = graph[id];
    if (node.op == graph::Op::correct_count) layout.classes = graph[node.inputs[0]].shape.columns;
    if (node.op != graph::Op::parameter) continue;
    ParameterLayout parameter;
    parameter.name = node.name;
    parameter.master = planner.place(node.shape.rows, node.shape.columns, Format::fp32, true);
    parameter.momentum = planner.place(node.shape.rows, node.shape.columns, Format::fp32, true);
    if (enters_array(graph, id))
      parameter.copy = planner.place(node.shape.rows, node.shape.columns, Format::bf16, true);
    layout.parameters.push_back(std::move(parameter));
  }
  if (layout.classes > 0) layout.class_ranks = planner.place(1, layout.classes, Format::fp32, true);
  layout.slot_lines = planner.lines();
  return layout;
}

}  // namespace heddle::compiler
