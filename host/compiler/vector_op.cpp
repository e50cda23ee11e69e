#include "host/compiler/vector_op.h"

#include <bit>
#include <cassert>
#include <string>

#include "common/error.h"

namespace heddle::compiler {
namespace {

constexpr std::uint32_t kRowLimit = 4095;
constexpr std::uint32_t kStrideLimit = 1023;

isa::Vec::AKind a_kind(VectorRows::Kind kind) {
  switch (kind) {
    case VectorRows::Kind::acc:
      return isa::Vec::AKind::acc;
    case VectorRows::Kind::bf16:
      return isa::Vec::AKind::bf16;
    case VectorRows::Kind::fp32:
      return isa::Vec::AKind::fp32;
    default:
      return isa::Vec::AKind::imm;
  }
}

isa::Vec::BKind b_kind(VectorRows::Kind kind) {
  switch (kind) {
    case VectorRows::Kind::acc:
      return isa::Vec::BKind::acc;
    case VectorRows::Kind::bf16:
      return isa::Vec::BKind::bf16;
    case VectorRows::Kind::fp32:
      return isa::Vec::BKind::fp32;
    default:
      return isa::Vec::BKind::none;
  }
}

isa::Vec vec_of(const VectorOp& op) {
  assert(op.d.kind == VectorRows::Kind::bf16 || op.d.kind == VectorRows::Kind::fp32);
  isa::Vec vec;
  vec.rows = op.rows;
  vec.a_kind = a_kind(op.a.kind);
  vec.a_line = op.a.line;
  vec.a_stride = op.a.stride;
  vec.b_kind = b_kind(op.b.kind);
  vec.b_line = op.b.line;
  vec.b_stride = op.b.stride;
  vec.d_kind = op.d.kind == VectorRows::Kind::bf16 ? isa::Vec::DKind::bf16 : isa::Vec::DKind::fp32;
  vec.d_line = op.d.line;
  vec.d_stride = op.d.stride;
  return vec;
}

isa::Vop vop_of(const VectorOp& op) {
  isa::Vop vop;
  vop.mul = op.mul;
  vop.add = op.add;
  vop.func = op.func;
  vop.reduce = op.reduce;
  vop.lanes = op.lanes;
  vop.imm_m = std::bit_cast<std::uint32_t>(op.imm_m);
  vop.imm_a = std::bit_cast<std::uint32_t>(op.imm_a);
  if (op.copy) {
    vop.copy = 1;
    vop.copy_line = op.copy->line;
    vop.copy_stride = op.copy->stride;
  }
  return vop;
}

void check(const VectorOp& op) {
  if (op.rows > kRowLimit)
    throw CompileError("a batch of " + std::to_string(op.rows) +
                       " rows is more than the vector unit takes at once; use at most " + std::to_string(kRowLimit));
  for (const VectorRows* rows : {&op.a, &op.b, &op.d, op.copy ? &*op.copy : &op.d})
    if (rows->stride > kStrideLimit)
      throw CompileError("a layer is too wide for the vector unit, whose rows can be at most " +
                         std::to_string(kStrideLimit) + " lines apart; use narrower layers");
}

}  // namespace

void emit_vector(ProgramBuilder& builder, const VectorOp& op) {
  check(op);
  const isa::Vop vop = vop_of(op);
  if (vop == isa::Vop{} && !op.constant)
    builder.vec(vec_of(op));
  else
    builder.vec(vec_of(op), vop, op.constant);
}

}  // namespace heddle::compiler
