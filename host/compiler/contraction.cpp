#include "host/compiler/contraction.h"

#include <algorithm>
#include <cassert>

namespace heddle::compiler {
namespace {

constexpr std::uint32_t kPassLimit = 1023;
constexpr std::uint32_t kPassStrideLimit = 65535;
constexpr std::uint32_t kRowLimit = 4095;

isa::Wload stationary(const Machine& machine, const BufferMatrix& b, const Contraction& c, std::uint32_t group) {
  const std::uint32_t offset = group * machine.cols;  // of the group's first column within the strip
  isa::Wload w;
  w.row_stride = b.pitch;
  w.transpose = b.transposed;
  w.passes = c.blocks;
  w.k_tail = c.k_tail;
  w.cols = std::min(machine.cols, c.columns - offset);
  if (b.transposed) {
    w.ub_line = b.line + (c.column + offset) * b.pitch + c.block_b;
    w.pass_stride = 1;
  } else {
    w.ub_line = b.line + c.block_b * kLanes * b.pitch + c.column / kLanes;
    w.pass_stride = c.blocks > 1 ? kLanes * b.pitch : 0;
    w.lane_group = offset / 8;
  }
  return w;
}

isa::Matmul streamed(const Machine& machine, const BufferMatrix& a, const Contraction& c, std::uint32_t group) {
  isa::Matmul m;
  m.row_stride = a.pitch;
  m.rows = c.rows;
  m.transpose = a.transposed;
  m.acc_row = c.acc_row;
  m.lane_group = group * machine.cols / 8;
  m.accumulate = c.accumulate;
  if (a.transposed) {
    assert(c.row % kLanes == 0);
    m.ub_line = a.line + c.block_a * kLanes * a.pitch + c.row / kLanes;
    m.pass_stride = c.blocks > 1 ? kLanes * a.pitch : 0;
  } else {
    m.ub_line = a.line + c.row * a.pitch + c.block_a;
    m.pass_stride = 1;
  }
  return m;
}

std::uint32_t passes_at_once(const BufferMatrix& m) {
  return m.transposed && m.pitch * kLanes > kPassStrideLimit ? 1 : kPassLimit;
}

}  // namespace

void emit_contraction(ProgramBuilder& builder, const BufferMatrix& a, const BufferMatrix& b, const Contraction& c) {
  const Machine& machine = builder.machine();
  assert(c.rows <= kRowLimit && c.columns <= machine.strip_lanes());
  const BufferMatrix straight_b{b.line, b.pitch, !b.transposed};  // a straight B steps by rows as a transposed A does
  const std::uint32_t limit = std::min(passes_at_once(a), passes_at_once(straight_b));
  for (std::uint32_t group = 0; group * machine.cols < c.columns; ++group) {
    Contraction part = c;
    for (std::uint32_t done = 0; done < c.blocks; done += part.blocks) {
      part.block_a = c.block_a + done;
      part.block_b = c.block_b + done;
      part.blocks = std::min(limit, c.blocks - done);
      part.k_tail = done + part.blocks == c.blocks ? c.k_tail : kLanes;
      part.accumulate = c.accumulate || done > 0;
      builder.multiply(stationary(machine, b, part, group), streamed(machine, a, part, group));
    }
  }
}

}  // namespace heddle::compiler
