#include "host/compiler/footprint.h"

#include <cassert>

namespace heddle::compiler {
namespace {

using Patterns = std::vector<Pattern>;

Space slot_space(std::uint32_t slot) { return static_cast<Space>(kFirstSlot + slot); }

// The unified-buffer side and the memory side of LOAD or STORE.
template <typename Transfer>
std::array<Pattern, 2> sides(const Transfer& x, const isa::Dims& dims) {
  Pattern buffer;
  buffer.first = x.buf_line;
  buffer.count = {x.n0, x.n1, dims.n2, dims.n3};
  buffer.stride = {1, x.buf_stride1, dims.buf_stride2, dims.buf_stride3};
  Pattern memory;
  memory.space = slot_space(x.slot);
  memory.first = x.mem_line;
  memory.count = buffer.count;
  memory.stride = {1, x.mem_stride1, dims.mem_stride2, dims.mem_stride3};
  return {buffer, memory};
}

Patterns of_load(const isa::Load& x, const isa::Dims& dims) {
  auto [buffer, memory] = sides(x, dims);
  buffer.write = true;
  if (x.fill) return {buffer};
  return {buffer, memory};
}

Patterns of_store(const isa::Store& x, const isa::Dims& dims) {
  auto [buffer, memory] = sides(x, dims);
  memory.write = true;
  if (x.source == isa::Store::Source::acc) {
    buffer.space = kAccumulators;
    buffer.count[0] = 1;  // both halves lie in one row
  }
  return {buffer, memory};
}

Patterns of_wload(const isa::Wload& x) {
  Pattern p;
  p.first = x.ub_line;
  if (x.transpose) {
    p.count = {1, x.cols, x.passes, 1};
    p.stride = {0, x.row_stride, x.pass_stride, 0};
    return {p};
  }
  // All passes but the last have 32 rows, the last one k_tail.
  const std::uint32_t lines = (8 * x.lane_group + x.cols - 1) / kLanes + 1;
  Patterns result;
  p.stride = {1, x.row_stride, x.pass_stride, 0};
  if (x.passes > 1) {
    p.count = {lines, kLanes, x.passes - 1, 1};
    result.push_back(p);
  }
  p.first += std::uint64_t{x.passes - 1} * x.pass_stride;
  p.count = {lines, x.k_tail, 1, 1};
  result.push_back(p);
  return result;
}

Patterns of_matmul(const isa::Matmul& x, const Machine& machine) {
  Patterns result;
  Pattern p;
  p.first = x.ub_line;
  if (!x.transpose) {
    p.count = {1, x.rows, x.passes, 1};
    p.stride = {0, x.row_stride, x.pass_stride, 0};
    result.push_back(p);
  } else {
    const std::uint32_t lines = panels_of(x.rows);
    p.stride = {1, x.row_stride, x.pass_stride, 0};
    if (x.passes > 1) {
      p.count = {lines, kLanes, x.passes - 1, 1};
      result.push_back(p);
    }
    p.first += std::uint64_t{x.passes - 1} * x.pass_stride;
    p.count = {lines, x.k_tail, 1, 1};
    result.push_back(p);
  }
  Pattern acc;
  acc.space = kAccumulators;
  acc.first = x.acc_row;
  acc.count = {x.rows, machine.strip_panels(), 1, 1};
  acc.stride = {1, machine.acc_rows, 0, 0};
  if (x.accumulate) result.push_back(acc);
  acc.write = true;
  result.push_back(acc);
  return result;
}

// A VEC operand or result of `rows` rows.
Pattern vector_rows(Space space, bool pair, std::uint32_t line, std::uint32_t stride, std::uint32_t rows) {
  Pattern p;
  p.space = space;
  p.first = line;
  p.count = {pair ? 2U : 1U, rows, 1, 1};
  p.stride = {1, stride, 0, 0};
  return p;
}

Patterns of_vec(const isa::Vec& x, const isa::Vop& vop) {
  Patterns result;
  if (x.a_kind != isa::Vec::AKind::imm) {
    const Space space = x.a_kind == isa::Vec::AKind::acc ? kAccumulators : kUnifiedBuffer;
    result.push_back(vector_rows(space, x.a_kind == isa::Vec::AKind::fp32, x.a_line, x.a_stride, x.rows));
  }
  if (x.b_kind != isa::Vec::BKind::none) {
    const Space space = x.b_kind == isa::Vec::BKind::acc ? kAccumulators : kUnifiedBuffer;
    result.push_back(vector_rows(space, x.b_kind == isa::Vec::BKind::fp32, x.b_line, x.b_stride, x.rows));
  }
  const std::uint32_t written = vop.reduce == isa::Vop::Reduce::row_sum ? 1 : x.rows;
  Pattern d = vector_rows(kUnifiedBuffer, x.d_kind == isa::Vec::DKind::fp32, x.d_line, x.d_stride, written);
  d.write = true;
  result.push_back(d);
  if (vop.copy) {
    Pattern copy = vector_rows(kUnifiedBuffer, false, vop.copy_line, vop.copy_stride, written);
    copy.write = true;
    result.push_back(copy);
  }
  return result;
}

template <typename Prefix>
Prefix prefix_or_default(const Operation& operation) {
  return operation.prefix ? std::get<Prefix>(*operation.prefix) : Prefix{};
}

}  // namespace

std::uint64_t Pattern::last() const {
  std::uint64_t line = first;
  for (std::size_t i = 0; i < count.size(); ++i) line += std::uint64_t{count[i] - 1} * stride[i];
  return line;
}

isa::Unit unit_of(const isa::Instruction& instruction) {
  return isa::find(static_cast<std::uint32_t>(isa::opcode(instruction)))->unit;
}

std::vector<Pattern> footprint(const Operation& operation, const Machine& machine) {
  const isa::Instruction& i = operation.instruction;
  if (const auto* load = std::get_if<isa::Load>(&i)) return of_load(*load, prefix_or_default<isa::Dims>(operation));
  if (const auto* store = std::get_if<isa::Store>(&i)) return of_store(*store, prefix_or_default<isa::Dims>(operation));
  if (const auto* wload = std::get_if<isa::Wload>(&i)) return of_wload(*wload);
  if (const auto* matmul = std::get_if<isa::Matmul>(&i)) return of_matmul(*matmul, machine);
  if (const auto* vec = std::get_if<isa::Vec>(&i)) return of_vec(*vec, prefix_or_default<isa::Vop>(operation));
  assert(false && "prefixes and HALT touch nothing");
  return {};
}

}  // namespace heddle::compiler
