// The stages of the vector pipeline on whole rows, written so that they vectorise. Under numerics::FlushScope.
//
// NaNs and subnormals become canonical in `canonical_rows` at the end: until then no stage looks at a NaN's sign or
// payload, and DAZ makes every subnormal count as zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rtl/isa/isa.h"
#include "sim/functional/state.h"

namespace heddle::sim {

// Operands. fp32 takes two lines.
void read_bf16(const Bf16Row& line, Fp32Row& out);
void read_fp32(const Bf16Row* line, Fp32Row& out);
void broadcast(std::uint32_t fp32, Fp32Row* rows, std::size_t count);

// Stages 1 to 3, in place on v.
void multiply_stage(const isa::Vop& vop, Fp32Row* v, const Fp32Row* b, std::size_t count);
void add_stage(const isa::Vop& vop, Fp32Row* v, const Fp32Row* b, std::size_t count);
void function_stage(const isa::Vop& vop, Fp32Row* v, std::size_t count);

// Stage 4 along the lanes, in place: the result stands in all 32 lanes.
void reduce_lanes(const isa::Vop& vop, Fp32Row* v, std::size_t count);

// sum += row, lane by lane.
void add_row(const Fp32Row& row, Fp32Row& sum);

// The one NaN, no subnormals.
void canonical_rows(Fp32Row* v, std::size_t count);

// Writes; the rows have to be canonical.
void write_bf16(const Fp32Row& row, Bf16Row& line);
void write_fp32(const Fp32Row& row, Bf16Row* line);

}  // namespace heddle::sim
