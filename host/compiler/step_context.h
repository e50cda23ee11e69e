// What the kernels of a step share while it is compiled: the program, the free memory, and where the values lie.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/compiler/contraction.h"
#include "host/compiler/line_allocator.h"
#include "host/compiler/product.h"
#include "host/compiler/step.h"
#include "host/compiler/vector_op.h"

namespace heddle::compiler {

// A bf16 matrix in the unified buffer, one row of `matrix.pitch` lines a sample.
struct Activation {
  BufferMatrix matrix;
  bool arriving = false;  // its lines are reserved, its first user loads it
  DeviceTensor source;    // where from
};

// An fp32 matrix in the unified buffer; panel p of row i is the pair of lines at line + i * pitch + 2 * p.
struct PairMatrix {
  std::uint32_t line = 0;
  std::uint32_t pitch = 2;

  VectorRows panel(std::uint32_t p, std::uint64_t row = 0) const {
    return fp32_rows(line + static_cast<std::uint32_t>(row) * pitch + 2 * p, pitch);
  }
  // The same row for every row of the other operand.
  VectorRows repeated(std::uint32_t p) const { return fp32_rows(line + 2 * p, 0); }
};

// Logits and, for each panel, the largest one of the row in all lanes.
struct Logits {
  PairMatrix values;
  PairMatrix maxima;
};

// A parameter of one row, on its way through the step: the row's panels are consecutive pairs.
struct RowParameter {
  PairMatrix master;
  PairMatrix momentum;
};

class StepContext {
 public:
  StepContext(const graph::Graph& g, const StateLayout& s, const config::Config& config)
      : graph(g),
        state(s),
        machine(config),
        builder(machine),
        buffer("unified buffer", machine.ub_lines),
        accumulators("accumulators", machine.acc_rows, LineAllocator::Policy::rotating),
        batch(kBatchSlot, bands_of(machine)),
        results(kResultSlot, 1) {}

  Activation new_activation(const graph::Node& node);
  PairMatrix new_pairs(std::uint64_t rows, std::uint32_t panels, const std::string& purpose);
  // Loaded into the unified buffer at the first call.
  const RowParameter& row_parameter(graph::NodeId parameter, bool with_momentum);

  const graph::Graph& graph;
  const StateLayout& state;
  Machine machine;
  ProgramBuilder builder;
  LineAllocator buffer;
  LineAllocator accumulators;
  SlotPlanner batch;
  SlotPlanner results;
  std::map<graph::NodeId, Activation> activations;
  std::map<graph::NodeId, Logits> logits;
  StepProgram step;

 private:
  std::map<graph::NodeId, RowParameter> rows_;
};

}  // namespace heddle::compiler
