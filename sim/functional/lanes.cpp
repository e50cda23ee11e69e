#include "sim/functional/lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "sim/numerics/bf16.h"
#include "sim/numerics/fp32.h"
#include "sim/numerics/functions.h"

namespace heddle::sim {
namespace {

float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

// NaN if either is NaN; the AND of equal operands makes max(+0, -0) = +0.
inline float max_of(float x, float y) {
  const float larger = x > y ? x : (y > x ? y : number(bits(x) & bits(y)));
  return (x != x) || (y != y) ? number(numerics::kNan) : larger;
}

template <typename F>
inline void each_lane(Fp32Row* v, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint32_t l = 0; l < kLanes; ++l) v[i].lane[l] = f(v[i].lane[l]);
}

template <typename F>
inline void each_lane(Fp32Row* v, const Fp32Row* b, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint32_t l = 0; l < kLanes; ++l) v[i].lane[l] = f(v[i].lane[l], b[i].lane[l]);
}

template <typename F>
void each_live_lane(Fp32Row* v, std::size_t count, std::uint32_t lanes, F f) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint32_t l = 0; l < kLanes; ++l) v[i].lane[l] = l < lanes ? number(f(bits(v[i].lane[l]))) : 0.0F;
}

template <typename F>
void tree(Fp32Row* v, std::size_t count, std::uint32_t lanes, float neutral, F f) {
  for (std::size_t i = 0; i < count; ++i) {
    float* x = v[i].lane;
    for (std::uint32_t l = lanes; l < kLanes; ++l) x[l] = neutral;
    for (std::uint32_t l = 0; l < 16; ++l) x[l] = f(x[l], x[l + 16]);
    for (std::uint32_t l = 0; l < 8; ++l) x[l] = f(x[l], x[l + 8]);
    for (std::uint32_t l = 0; l < 4; ++l) x[l] = f(x[l], x[l + 4]);
    for (std::uint32_t l = 0; l < 2; ++l) x[l] = f(x[l], x[l + 2]);
    const float result = f(x[0], x[1]);
    std::fill(x, x + kLanes, result);
  }
}

}  // namespace

void read_bf16(const Bf16Row& line, Fp32Row& out) {
  for (std::uint32_t l = 0; l < kLanes; ++l) out.lane[l] = number(static_cast<std::uint32_t>(line.lane[l]) << 16);
}

void read_fp32(const Bf16Row* line, Fp32Row& out) {
  static_assert(sizeof(Fp32Row) == 2 * sizeof(Bf16Row));
  std::memcpy(&out, line, sizeof out);
}

void broadcast(std::uint32_t fp32, Fp32Row* rows, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::fill_n(rows[i].lane, kLanes, number(numerics::canonical(fp32)));
}

void multiply_stage(const isa::Vop& vop, Fp32Row* v, const Fp32Row* b, std::size_t count) {
  using Mul = isa::Vop::Mul;
  const float m = number(numerics::canonical(vop.imm_m));
  switch (vop.mul) {
    case Mul::pass:
      break;
    case Mul::imm:
      each_lane(v, count, [m](float x) { return x * m; });
      break;
    case Mul::b:
      each_lane(v, b, count, [](float x, float y) { return x * y; });
      break;
    case Mul::mask_positive:
      each_lane(v, b, count, [](float x, float y) { return y > 0.0F ? x : 0.0F; });
      break;
    case Mul::lane_equal:
      for (std::size_t i = 0; i < count; ++i)
        for (std::uint32_t l = 0; l < kLanes; ++l)
          v[i].lane[l] = b[i].lane[l] == static_cast<float>(l) ? v[i].lane[l] : 0.0F;
      break;
  }
}

void add_stage(const isa::Vop& vop, Fp32Row* v, const Fp32Row* b, std::size_t count) {
  using Add = isa::Vop::Add;
  const float a = number(numerics::canonical(vop.imm_a));
  switch (vop.add) {
    case Add::pass:
      break;
    case Add::imm:
      each_lane(v, count, [a](float x) { return x + a; });
      break;
    case Add::b:
      each_lane(v, b, count, [](float x, float y) { return x + y; });
      break;
    case Add::sub_b:
      each_lane(v, b, count, [](float x, float y) { return x - y; });
      break;
    case Add::rsub_b:
      each_lane(v, b, count, [](float x, float y) { return y - x; });
      break;
    case Add::max_b:
      each_lane(v, b, count, max_of);
      break;
    case Add::max_imm:
      each_lane(v, count, [a](float x) { return max_of(x, a); });
      break;
  }
}

void function_stage(const isa::Vop& vop, Fp32Row* v, std::size_t count) {
  using Func = isa::Vop::Func;
  switch (vop.func) {
    case Func::none:
      break;
    case Func::relu:
      each_lane(v, count, [](float x) { return x <= 0.0F ? 0.0F : x; });
      break;
    case Func::exp:
      each_live_lane(v, count, vop.lanes, numerics::exp_fp32);
      break;
    case Func::log:
      each_live_lane(v, count, vop.lanes, numerics::log_fp32);
      break;
    case Func::reciprocal:
      each_live_lane(v, count, vop.lanes, numerics::reciprocal_fp32);
      break;
  }
}

void reduce_lanes(const isa::Vop& vop, Fp32Row* v, std::size_t count) {
  using Reduce = isa::Vop::Reduce;
  if (vop.reduce == Reduce::lane_sum) tree(v, count, vop.lanes, 0.0F, [](float x, float y) { return x + y; });
  if (vop.reduce == Reduce::lane_max) tree(v, count, vop.lanes, -std::numeric_limits<float>::infinity(), max_of);
}

void add_row(const Fp32Row& row, Fp32Row& sum) {
  for (std::uint32_t l = 0; l < kLanes; ++l) sum.lane[l] += row.lane[l];
}

void canonical_rows(Fp32Row* v, std::size_t count) {
  each_lane(v, count, [](float x) { return number(numerics::canonical(bits(x))); });
}

void write_bf16(const Fp32Row& row, Bf16Row& line) {
  for (std::uint32_t l = 0; l < kLanes; ++l) {
    const std::uint32_t x = bits(row.lane[l]);
    const std::uint32_t rounded = (x + 0x7FFFU + ((x >> 16) & 1U)) >> 16;
    line.lane[l] = static_cast<std::uint16_t>(rounded);  // the one NaN stays what it is: 0x7FC0
  }
}

void write_fp32(const Fp32Row& row, Bf16Row* line) { std::memcpy(line, &row, sizeof row); }

}  // namespace heddle::sim
