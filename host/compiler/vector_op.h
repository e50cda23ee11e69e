// VEC instructions, written so that they read like the formula they compute.
#pragma once

#include <optional>

#include "host/compiler/program_builder.h"

namespace heddle::compiler {

// Rows that VEC reads or writes: one every `stride` lines (or accumulator rows).
struct VectorRows {
  enum class Kind : std::uint8_t { none, immediate, acc, bf16, fp32 };
  Kind kind = Kind::none;
  std::uint32_t line = 0;
  std::uint32_t stride = 0;
};
constexpr VectorRows acc_rows(std::uint32_t line) { return {VectorRows::Kind::acc, line, 1}; }
constexpr VectorRows bf16_rows(std::uint32_t line, std::uint32_t stride) {
  return {VectorRows::Kind::bf16, line, stride};
}
constexpr VectorRows fp32_rows(std::uint32_t line, std::uint32_t stride) {
  return {VectorRows::Kind::fp32, line, stride};
}
// `value` in all lanes; takes the place of imm_m.
constexpr VectorRows immediate() { return {VectorRows::Kind::immediate, 0, 0}; }

struct VectorOp {
  std::uint32_t rows = 1;
  VectorRows a;
  VectorRows b;
  VectorRows d;                    // bf16 or fp32
  std::optional<VectorRows> copy;  // bf16
  isa::Vop::Mul mul = isa::Vop::Mul::pass;
  isa::Vop::Add add = isa::Vop::Add::pass;
  isa::Vop::Func func = isa::Vop::Func::none;
  isa::Vop::Reduce reduce = isa::Vop::Reduce::none;
  std::uint32_t lanes = kLanes;
  float imm_m = 0;
  float imm_a = 0;
  std::optional<Constant> constant;  // takes the place of an immediate
};

// Throws CompileError when rows or strides exceed what an instruction can say.
void emit_vector(ProgramBuilder& builder, const VectorOp& op);

}  // namespace heddle::compiler
