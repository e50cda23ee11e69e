// What the kernels of a step share while it is compiled: the program, the free memory, and where the values lie.
#pragma once

#include <functional>
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

enum class MemoryUse {
  fast,     // in turn, so that new values need not wait for the readers of old ones; some work in the background
  compact,  // as little as possible
};

class StepContext {
 public:
  StepContext(const graph::Graph& g, const StateLayout& s, const config::Config& config, MemoryUse use)
      : graph(g),
        state(s),
        machine(config),
        builder(machine),
        buffer("unified buffer", machine.ub_lines,
               use == MemoryUse::fast ? LineAllocator::Policy::rotating : LineAllocator::Policy::first_fit),
        accumulators("accumulators", machine.acc_rows, LineAllocator::Policy::rotating),
        batch(kBatchSlot, bands_of(machine)),
        results(kResultSlot, 1),
        memory_use_(use) {}

  Activation new_activation(const graph::Node& node);
  // The copy of a parameter that stays in the unified buffer as a whole because it is small and used more than once;
  // null for others.
  Activation* kept_weights(graph::NodeId parameter);
  // Called once for each product with them.
  void used_kept_weights(graph::NodeId parameter);
  // Does work that nothing in the program waits for: in the background, if memory allows.
  void later(const std::function<void()>& work);
  // Gives memory back. While there is work in the background, memory that it may use stays taken.
  void release(std::uint32_t line);
  // Puts instructions of the background at this place of the program.
  void weave(std::size_t count);
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
  MemoryUse memory_use_;
  std::map<graph::NodeId, RowParameter> rows_;
  struct KeptWeights {
    Activation copy;
    std::uint32_t uses_left = 0;
  };
  std::map<graph::NodeId, KeptWeights> weights_;
  std::vector<std::uint32_t> released_;  // once the background is empty
};

}  // namespace heddle::compiler
