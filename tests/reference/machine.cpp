#include "tests/reference/machine.h"

#include <optional>

#include "sim/numerics/functions.h"
#include "tests/reference/arithmetic.h"

namespace heddle::plain {
namespace {

using Row = std::array<std::uint32_t, 32>;

std::uint32_t function(const isa::Vop& vop, std::uint32_t x, unsigned lane) {
  using Func = isa::Vop::Func;
  if (vop.func == Func::none) return x;
  if (vop.func == Func::relu) return relu(x);
  if (lane >= vop.lanes) return 0;
  // The bits of these three are defined by their tables; tests/numerics holds them to 2 ulp.
  if (vop.func == Func::exp) return numerics::exp_fp32(x);
  if (vop.func == Func::log) return numerics::log_fp32(x);
  return numerics::reciprocal_fp32(x);
}

std::uint32_t multiplied(const isa::Vop& vop, std::uint32_t a, std::uint32_t b, unsigned lane) {
  using Mul = isa::Vop::Mul;
  if (vop.mul == Mul::imm) return multiply(a, read_fp32(vop.imm_m));
  if (vop.mul == Mul::b) return multiply(a, b);
  if (vop.mul == Mul::mask_positive) return is_greater(b, 0) ? a : 0;
  if (vop.mul == Mul::lane_equal) return is_equal(b, fp32_of(static_cast<int>(lane))) ? a : 0;
  return a;
}

std::uint32_t added(const isa::Vop& vop, std::uint32_t m, std::uint32_t b) {
  using Add = isa::Vop::Add;
  const std::uint32_t imm = read_fp32(vop.imm_a);
  if (vop.add == Add::imm) return add(m, imm);
  if (vop.add == Add::b) return add(m, b);
  if (vop.add == Add::sub_b) return subtract(m, b);
  if (vop.add == Add::rsub_b) return subtract(b, m);
  if (vop.add == Add::max_b) return maximum(m, b);
  if (vop.add == Add::max_imm) return maximum(m, imm);
  return m;
}

Row reduced(const isa::Vop& vop, Row v) {
  using Reduce = isa::Vop::Reduce;
  const bool sum = vop.reduce == Reduce::lane_sum;
  if (!sum && vop.reduce != Reduce::lane_max) return v;
  for (unsigned l = vop.lanes; l < 32; ++l) v[l] = sum ? 0 : 0xFF800000;
  for (unsigned distance : {16u, 8u, 4u, 2u, 1u})
    for (unsigned l = 0; l < distance; ++l) v[l] = sum ? add(v[l], v[l + distance]) : maximum(v[l], v[l + distance]);
  v.fill(v[0]);
  return v;
}

}  // namespace

Machine::Machine(const config::Config& config)
    : buffer(std::size_t{config.ub_lines} * 64), accumulators(std::size_t{config.acc_lines()} * 32), config_(config) {}

void Machine::run(std::span<const isa::Word> program, std::size_t end, Memory& memory) {
  isa::Dims dims;
  isa::Vop vop;
  isa::Wload wload;
  for (std::size_t i = 0; i < program.size() && i < end; ++i) {
    const isa::Instruction instruction = *isa::decode(program[i]);
    if (std::holds_alternative<isa::Halt>(instruction)) return;
    if (const auto* x = std::get_if<isa::Dims>(&instruction)) dims = *x;
    if (const auto* x = std::get_if<isa::Vop>(&instruction)) vop = *x;
    if (const auto* x = std::get_if<isa::Wload>(&instruction)) wload = *x;
    if (const auto* x = std::get_if<isa::Matmul>(&instruction)) matmul(wload, *x);
    if (const auto* x = std::get_if<isa::Load>(&instruction)) {
      copy_lines(dims, x, nullptr, memory);
      dims = isa::Dims{};
    }
    if (const auto* x = std::get_if<isa::Store>(&instruction)) {
      copy_lines(dims, nullptr, x, memory);
      dims = isa::Dims{};
    }
    if (const auto* x = std::get_if<isa::Vec>(&instruction)) {
      vec(vop, *x);
      vop = isa::Vop{};
    }
  }
}

std::uint16_t Machine::buffer_bf16(std::uint64_t line, unsigned lane) const {
  const std::size_t place = line * 64 + lane * 2;
  return static_cast<std::uint16_t>(buffer[place] | buffer[place + 1] << 8);
}

void Machine::copy_lines(const isa::Dims& dims, const isa::Load* load, const isa::Store* store, Memory& memory) {
  const auto of = [&](auto member_load, auto member_store) {
    return std::uint64_t{load != nullptr ? load->*member_load : store->*member_store};
  };
  const std::uint64_t n0 = of(&isa::Load::n0, &isa::Store::n0);
  const std::uint64_t n1 = of(&isa::Load::n1, &isa::Store::n1);
  for (std::uint64_t i3 = 0; i3 < dims.n3; ++i3)
    for (std::uint64_t i2 = 0; i2 < dims.n2; ++i2)
      for (std::uint64_t i1 = 0; i1 < n1; ++i1)
        for (std::uint64_t i0 = 0; i0 < n0; ++i0) {
          const std::uint64_t outer = of(&isa::Load::buf_line, &isa::Store::buf_line) +
                                      i1 * of(&isa::Load::buf_stride1, &isa::Store::buf_stride1) +
                                      i2 * dims.buf_stride2 + i3 * dims.buf_stride3;
          const std::uint64_t in_memory = of(&isa::Load::mem_line, &isa::Store::mem_line) + i0 +
                                          i1 * of(&isa::Load::mem_stride1, &isa::Store::mem_stride1) +
                                          i2 * dims.mem_stride2 + i3 * dims.mem_stride3;
          auto& slot = memory[of(&isa::Load::slot, &isa::Store::slot)];
          for (unsigned byte = 0; byte < 64; ++byte) {
            if (load != nullptr) {
              buffer[(outer + i0) * 64 + byte] = load->fill != 0 ? 0 : slot[in_memory * 64 + byte];
            } else if (store->source == isa::Store::Source::acc) {
              const std::uint32_t value = accumulators[outer * 32 + i0 * 16 + byte / 4];
              slot[in_memory * 64 + byte] = static_cast<std::uint8_t>(value >> (8 * (byte % 4)));
            } else {
              slot[in_memory * 64 + byte] = buffer[(outer + i0) * 64 + byte];
            }
          }
        }
}

void Machine::matmul(const isa::Wload& wload, const isa::Matmul& matmul) {
  for (std::uint64_t p = 0; p < matmul.passes; ++p) {
    const bool last = p + 1 == matmul.passes;
    const auto stationary = [&](unsigned k, unsigned c) -> std::uint16_t {
      if (k >= (last ? wload.k_tail : 32) || c >= wload.cols) return 0;
      const std::uint64_t base = wload.ub_line + p * wload.pass_stride;
      if (wload.transpose != 0) return buffer_bf16(base + std::uint64_t{c} * wload.row_stride, k);
      const unsigned lane = 8 * wload.lane_group + c;
      return buffer_bf16(base + std::uint64_t{k} * wload.row_stride + lane / 32, lane % 32);
    };
    const auto streamed = [&](std::uint64_t i, unsigned k) -> std::uint16_t {
      if (k >= (last ? matmul.k_tail : 32)) return 0;
      const std::uint64_t base = matmul.ub_line + p * matmul.pass_stride;
      if (matmul.transpose != 0)
        return buffer_bf16(base + std::uint64_t{k} * matmul.row_stride + i / 32, static_cast<unsigned>(i % 32));
      return buffer_bf16(base + i * matmul.row_stride, k);
    };
    for (std::uint64_t i = 0; i < matmul.rows; ++i)
      for (unsigned c = 0; c < config_.cols; ++c) {
        std::array<std::uint16_t, 32> a{};
        std::array<std::uint16_t, 32> b{};
        for (unsigned k = 0; k < 32; ++k) {
          a[k] = streamed(i, k);
          b[k] = stationary(k, c);
        }
        const unsigned lane = 8 * matmul.lane_group + c;
        std::uint64_t row = matmul.acc_row + i;
        if (lane >= 32) row += config_.acc_rows;
        std::uint32_t& place = accumulators[row * 32 + lane % 32];
        const std::uint32_t before = p == 0 && matmul.accumulate == 0 ? 0 : place;
        place = add(before, block_result(a, b));
      }
  }
}

std::uint32_t Machine::operand(unsigned kind, std::uint64_t line, unsigned lane) const {
  if (kind == 1) return accumulators[line * 32 + lane];
  if (kind == 2) return read_bf16(buffer_bf16(line, lane));
  std::uint32_t value = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    value |= static_cast<std::uint32_t>(buffer[(line + lane / 16) * 64 + (lane % 16) * 4 + byte]) << (8 * byte);
  return read_fp32(value);
}

void Machine::vec(const isa::Vop& vop, const isa::Vec& vec) {
  std::array<Row, 16> partial{};
  for (std::uint64_t i = 0; i < vec.rows; ++i) {
    Row v{};
    for (unsigned l = 0; l < 32; ++l) {
      const auto a_kind = static_cast<unsigned>(vec.a_kind);
      const auto b_kind = static_cast<unsigned>(vec.b_kind);
      const std::uint32_t a = a_kind == 0 ? read_fp32(vop.imm_m) : operand(a_kind, vec.a_line + i * vec.a_stride, l);
      const std::uint32_t b = b_kind == 0 ? 0 : operand(b_kind, vec.b_line + i * vec.b_stride, l);
      v[l] = function(vop, added(vop, multiplied(vop, a, b, l), b), l);
    }
    if (vop.reduce == isa::Vop::Reduce::row_sum) {
      for (unsigned l = 0; l < 32; ++l) partial[i % 16][l] = add(partial[i % 16][l], v[l]);
    } else {
      write_row(vop, vec, i, reduced(vop, v));
    }
  }
  if (vop.reduce != isa::Vop::Reduce::row_sum) return;
  for (unsigned distance : {8u, 4u, 2u, 1u})
    for (unsigned j = 0; j < distance; ++j)
      for (unsigned l = 0; l < 32; ++l) partial[j][l] = add(partial[j][l], partial[j + distance][l]);
  write_row(vop, vec, 0, partial[0]);
}

void Machine::write_row(const isa::Vop& vop, const isa::Vec& vec, std::uint64_t row, const Row& v) {
  const auto put = [&](std::uint64_t byte, std::uint32_t value, unsigned bytes) {
    for (unsigned j = 0; j < bytes; ++j) buffer[byte + j] = static_cast<std::uint8_t>(value >> (8 * j));
  };
  const std::uint64_t d = (vec.d_line + row * vec.d_stride) * 64;
  const std::uint64_t copy = (vop.copy_line + row * vop.copy_stride) * 64;
  for (unsigned l = 0; l < 32; ++l) {
    if (vec.d_kind == isa::Vec::DKind::fp32) {
      put(d + l * 4, v[l], 4);
    } else {
      put(d + l * 2, to_bf16(v[l]), 2);
    }
    if (vop.copy != 0) put(copy + l * 2, to_bf16(v[l]), 2);
  }
}

}  // namespace heddle::plain
