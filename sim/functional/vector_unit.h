// VEC with its VOP prefix (docs/design.md, sections 2 and 4).
//
// Works on groups of rows: within one VEC no row reads what another one wrote, so reading a group before writing it
// gives the same bits. Runs under numerics::FlushScope.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/functional/state.h"

namespace heddle::sim {

class VectorUnit {
 public:
  VectorUnit();
  void execute(const VectorOperation& operation, UnifiedBuffer& buffer, const Accumulators& accumulators);

 private:
  std::vector<Fp32Row> a_;  // operand a, then the value that flows down the pipeline
  std::vector<Fp32Row> b_;
  std::vector<Fp32Row> partials_;  // of row_sum
};

}  // namespace heddle::sim
