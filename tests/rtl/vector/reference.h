// VEC as docs/design.md defines it, in plain loops over one lane at a time: the reference of the vector unit's tests.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "rtl/isa/isa.h"
#include "sim/numerics/fp32.h"
#include "sim/numerics/functions.h"

namespace heddle::test {

inline constexpr unsigned kLanes = 32;
using Row = std::array<std::uint32_t, kLanes>;  // fp32 bits
using Line = std::array<std::uint32_t, 16>;     // 64 bytes
struct Memories {
  std::vector<Line> ub;
  std::vector<Row> acc;
};

inline std::uint16_t bf16_lane(const Line& line, unsigned lane) {
  return static_cast<std::uint16_t>(line[lane / 2] >> (lane % 2 * 16));
}

inline std::uint32_t round_to_bf16(std::uint32_t x) {
  if (numerics::is_nan(x)) return 0x7FC0;
  return (x + 0x7FFF + ((x >> 16) & 1)) >> 16;
}

class VectorReference {
 public:
  VectorReference(const isa::Vec& vec, const isa::Vop& vop) : vec_(vec), vop_(vop) {}

  void execute(Memories& memory) const {
    std::vector<Row> results;
    for (std::uint32_t i = 0; i < vec_.rows; ++i) {
      const Row a = operand_a(memory, i), b = operand_b(memory, i);
      Row row{};
      for (unsigned l = 0; l < kLanes; ++l) row[l] = element(a[l], b[l], l);
      if (vop_.reduce != isa::Vop::Reduce::row_sum) {
        write(memory, i, reduce_lanes(row));
      } else {
        results.push_back(row);
      }
    }
    if (vop_.reduce == isa::Vop::Reduce::row_sum) write(memory, 0, sum_rows(results));
  }

 private:
  static Row read(const Memories& memory, unsigned kind, std::uint32_t line) {
    Row row{};
    for (unsigned l = 0; l < kLanes; ++l) {
      if (kind == 1) row[l] = memory.acc[line][l];
      if (kind == 2) row[l] = std::uint32_t{bf16_lane(memory.ub[line], l)} << 16;
      if (kind == 3) row[l] = memory.ub[line + l / 16][l % 16];
      row[l] = numerics::canonical(row[l]);
    }
    return row;
  }
  Row operand_a(const Memories& memory, std::uint32_t i) const {
    if (vec_.a_kind != isa::Vec::AKind::imm)
      return read(memory, static_cast<unsigned>(vec_.a_kind), vec_.a_line + i * vec_.a_stride);
    Row row;
    row.fill(numerics::canonical(vop_.imm_m));
    return row;
  }
  Row operand_b(const Memories& memory, std::uint32_t i) const {
    return read(memory, static_cast<unsigned>(vec_.b_kind), vec_.b_line + i * vec_.b_stride);
  }

  std::uint32_t element(std::uint32_t a, std::uint32_t b, unsigned lane) const {
    return function(sum(product(a, b, lane), b), lane);
  }
  std::uint32_t product(std::uint32_t a, std::uint32_t b, unsigned lane) const {
    switch (vop_.mul) {
      case isa::Vop::Mul::pass:
        return a;
      case isa::Vop::Mul::imm:
        return numerics::multiply(a, vop_.imm_m);
      case isa::Vop::Mul::b:
        return numerics::multiply(a, b);
      case isa::Vop::Mul::mask_positive:
        return numerics::greater(b, 0) ? a : 0;
      case isa::Vop::Mul::lane_equal:
        return numerics::equal(b, std::bit_cast<std::uint32_t>(static_cast<float>(lane))) ? a : 0;
    }
    return 0;
  }
  std::uint32_t sum(std::uint32_t m, std::uint32_t b) const {
    switch (vop_.add) {
      case isa::Vop::Add::pass:
        return m;
      case isa::Vop::Add::imm:
        return numerics::add(m, vop_.imm_a);
      case isa::Vop::Add::b:
        return numerics::add(m, b);
      case isa::Vop::Add::sub_b:
        return numerics::subtract(m, b);
      case isa::Vop::Add::rsub_b:
        return numerics::subtract(b, m);
      case isa::Vop::Add::max_b:
        return numerics::max(m, b);
      case isa::Vop::Add::max_imm:
        return numerics::max(m, vop_.imm_a);
    }
    return 0;
  }
  std::uint32_t function(std::uint32_t s, unsigned lane) const {
    switch (vop_.func) {
      case isa::Vop::Func::none:
        return s;
      case isa::Vop::Func::relu:
        return numerics::relu(s);
      case isa::Vop::Func::exp:
        return lane < vop_.lanes ? numerics::exp_fp32(s) : 0;
      case isa::Vop::Func::log:
        return lane < vop_.lanes ? numerics::log_fp32(s) : 0;
      case isa::Vop::Func::reciprocal:
        return lane < vop_.lanes ? numerics::reciprocal_fp32(s) : 0;
    }
    return 0;
  }

  Row reduce_lanes(Row row) const {
    const bool is_max = vop_.reduce == isa::Vop::Reduce::lane_max;
    if (!is_max && vop_.reduce != isa::Vop::Reduce::lane_sum) return row;
    for (unsigned l = vop_.lanes; l < kLanes; ++l) row[l] = is_max ? 0xFF800000U : 0;
    for (unsigned width = kLanes / 2; width > 0; width /= 2)
      for (unsigned l = 0; l < width; ++l)
        row[l] = is_max ? numerics::max(row[l], row[l + width]) : numerics::add(row[l], row[l + width]);
    row.fill(row[0]);
    return row;
  }
  static Row sum_rows(const std::vector<Row>& rows) {
    std::array<Row, 16> partial{};
    for (std::size_t i = 0; i < rows.size(); ++i) add_to(partial[i % 16], rows[i]);
    for (unsigned width = 8; width > 0; width /= 2)
      for (unsigned j = 0; j < width; ++j) add_to(partial[j], partial[j + width]);
    return partial[0];
  }
  static void add_to(Row& sum, const Row& row) {
    for (unsigned l = 0; l < kLanes; ++l) sum[l] = numerics::add(sum[l], row[l]);
  }

  void write(Memories& memory, std::uint32_t i, const Row& row) const {
    const std::uint32_t line = vec_.d_line + i * vec_.d_stride;
    if (vec_.d_kind == isa::Vec::DKind::fp32) {
      for (unsigned l = 0; l < kLanes; ++l) memory.ub[line + l / 16][l % 16] = row[l];
    } else {
      memory.ub[line] = as_bf16(row);
    }
    if (vop_.copy != 0) memory.ub[vop_.copy_line + i * vop_.copy_stride] = as_bf16(row);
  }
  static Line as_bf16(const Row& row) {
    Line line{};
    for (unsigned l = 0; l < kLanes; ++l) line[l / 2] |= round_to_bf16(row[l]) << (l % 2 * 16);
    return line;
  }

  isa::Vec vec_;
  isa::Vop vop_;
};

}  // namespace heddle::test
