#include "sim/functional/vector_unit.h"

#include <algorithm>

#include "sim/functional/lanes.h"

namespace heddle::sim {
namespace {

constexpr std::uint32_t kGroup = 16;  // a multiple of row_sum's number of partial sums
constexpr std::uint32_t kPartials = 16;

// How one operand is read, whatever its kind.
struct Source {
  enum class Kind { immediate, accumulators, bf16, fp32 } kind;
  std::uint32_t line;
  std::uint32_t stride;
  std::uint32_t immediate;
};

Source source_a(const VectorOperation& op) {
  static constexpr Source::Kind kKinds[] = {Source::Kind::immediate, Source::Kind::accumulators, Source::Kind::bf16,
                                            Source::Kind::fp32};
  return {kKinds[static_cast<unsigned>(op.vec.a_kind)], op.vec.a_line, op.vec.a_stride, op.vop.imm_m};
}

// No operand b reads as +0.
Source source_b(const VectorOperation& op) {
  static constexpr Source::Kind kKinds[] = {Source::Kind::immediate, Source::Kind::accumulators, Source::Kind::bf16,
                                            Source::Kind::fp32};
  return {kKinds[static_cast<unsigned>(op.vec.b_kind)], op.vec.b_line, op.vec.b_stride, 0};
}

void read(const Source& source, std::uint32_t first, std::uint32_t count, const UnifiedBuffer& buffer,
          const Accumulators& accumulators, Fp32Row* out) {
  if (source.kind == Source::Kind::immediate) return broadcast(source.immediate, out, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t place = source.line + std::size_t{first + i} * source.stride;
    if (source.kind == Source::Kind::accumulators) out[i] = accumulators.row(place);
    if (source.kind == Source::Kind::bf16) read_bf16(buffer.line(place), out[i]);
    if (source.kind == Source::Kind::fp32) read_fp32(&buffer.line(place), out[i]);
  }
}

// `rows` have to be canonical.
void write(const VectorOperation& op, std::uint32_t first, std::uint32_t count, const Fp32Row* rows,
           UnifiedBuffer& buffer) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t place = op.vec.d_line + std::size_t{first + i} * op.vec.d_stride;
    if (op.vec.d_kind == isa::Vec::DKind::fp32) {
      write_fp32(rows[i], &buffer.line(place));
    } else {
      write_bf16(rows[i], buffer.line(place));
    }
    if (op.vop.copy != 0)
      write_bf16(rows[i], buffer.line(op.vop.copy_line + std::size_t{first + i} * op.vop.copy_stride));
  }
}

// p[j] + p[j + 8], then + 4, + 2, + 1; the sum is p[0].
void fold_partials(Fp32Row* partials) {
  for (std::uint32_t half = kPartials / 2; half > 0; half /= 2)
    for (std::uint32_t j = 0; j < half; ++j) add_row(partials[j + half], partials[j]);
}

}  // namespace

VectorUnit::VectorUnit() : a_(kGroup), b_(kGroup), partials_(kPartials) {}

void VectorUnit::execute(const VectorOperation& op, UnifiedBuffer& buffer, const Accumulators& accumulators) {
  const Source a = source_a(op);
  const Source b = source_b(op);
  if (op.row_sum()) std::fill(partials_.begin(), partials_.end(), Fp32Row{});
  for (std::uint32_t first = 0; first < op.vec.rows; first += kGroup) {
    const std::uint32_t count = std::min(kGroup, op.vec.rows - first);
    read(a, first, count, buffer, accumulators, a_.data());
    read(b, first, count, buffer, accumulators, b_.data());
    multiply_stage(op.vop, a_.data(), b_.data(), count);
    add_stage(op.vop, a_.data(), b_.data(), count);
    function_stage(op.vop, a_.data(), count);
    if (op.row_sum()) {
      for (std::uint32_t i = 0; i < count; ++i) add_row(a_[i], partials_[i]);
      continue;
    }
    reduce_lanes(op.vop, a_.data(), count);
    canonical_rows(a_.data(), count);
    write(op, first, count, a_.data(), buffer);
  }
  if (!op.row_sum()) return;
  fold_partials(partials_.data());
  canonical_rows(partials_.data(), 1);
  write(op, 0, 1, partials_.data(), buffer);
}

}  // namespace heddle::sim
