// What the memory tests share: lines, random patterns as plain loops, and the clock.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "rtl/isa/isa.h"
#include "sim/verilated/axi_memory.h"
#include "sim/verilated/pins.h"

namespace heddle::test {

using Line = std::array<std::uint32_t, 16>;
using Random = std::mt19937_64;

inline std::uint64_t below(Random& random, std::uint64_t bound) { return random() % bound; }
inline bool percent(Random& random, unsigned chance) { return below(random, 100) < chance; }

inline Line random_line(Random& random) {
  Line line;
  for (std::uint32_t& word : line) {
    word = static_cast<std::uint32_t>(random());
  }
  return line;
}

// The seed of a random test: its own, or HEDDLE_SEED to replay a failure.
inline std::uint64_t seed_or(std::uint64_t fallback) {
  const char* text = std::getenv("HEDDLE_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
}

inline std::string replay(std::uint64_t seed) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  return "replay: HEDDLE_SEED=" + std::to_string(seed) + " <program> --gtest_filter=" + info->test_suite_name() + "." +
         info->name();
}

// A LOAD's or STORE's pattern; strides by dimension 1 to 3.
struct Pattern {
  unsigned slot = 0;
  std::uint64_t mem_line = 0, buf_line = 0;
  std::array<std::uint64_t, 4> n{1, 1, 1, 1};
  std::array<std::uint64_t, 4> mem_stride{1, 0, 0, 0}, buf_stride{1, 0, 0, 0};
  bool special = false;  // fill, or from accumulators

  template <typename Visit>  // (line in memory, line or row in the buffer, i0)
  void each(Visit visit) const {
    for (std::uint64_t i3 = 0; i3 < n[3]; ++i3)
      for (std::uint64_t i2 = 0; i2 < n[2]; ++i2)
        for (std::uint64_t i1 = 0; i1 < n[1]; ++i1)
          for (std::uint64_t i0 = 0; i0 < n[0]; ++i0)
            visit(mem_line + i0 + i1 * mem_stride[1] + i2 * mem_stride[2] + i3 * mem_stride[3],
                  buf_line + i0 * buf_stride[0] + i1 * buf_stride[1] + i2 * buf_stride[2] + i3 * buf_stride[3], i0);
  }
  std::uint64_t lines() const { return n[0] * n[1] * n[2] * n[3]; }
  std::uint64_t mem_span() const { return span(mem_stride); }
  std::uint64_t buf_span() const { return span(buf_stride); }

  isa::Word dims() const {
    isa::Dims d;
    d.n2 = static_cast<std::uint32_t>(n[2]);
    d.n3 = static_cast<std::uint32_t>(n[3]);
    d.mem_stride2 = static_cast<std::uint32_t>(mem_stride[2]);
    d.mem_stride3 = static_cast<std::uint32_t>(mem_stride[3]);
    d.buf_stride2 = static_cast<std::uint32_t>(buf_stride[2]);
    d.buf_stride3 = static_cast<std::uint32_t>(buf_stride[3]);
    return isa::encode(d);
  }
  template <typename Instruction>
  Instruction body() const {
    Instruction i;
    i.slot = slot;
    i.mem_line = static_cast<std::uint32_t>(mem_line);
    i.buf_line = static_cast<std::uint32_t>(buf_line);
    i.n0 = static_cast<std::uint32_t>(n[0]);
    i.n1 = static_cast<std::uint32_t>(n[1]);
    i.mem_stride1 = static_cast<std::uint32_t>(mem_stride[1]);
    i.buf_stride1 = static_cast<std::uint32_t>(buf_stride[1]);
    return i;
  }

 private:
  std::uint64_t span(const std::array<std::uint64_t, 4>& stride) const {
    return 1 + (n[0] - 1) * stride[0] + (n[1] - 1) * stride[1] + (n[2] - 1) * stride[2] + (n[3] - 1) * stride[3];
  }
};

// Strides for dimensions 1 to 3 in random nesting, so that no two indices meet; at most `limit` each.
inline void nest(Random& random, const std::array<std::uint64_t, 4>& n, std::uint64_t innermost,
                 std::array<std::uint64_t, 4>& stride) {
  std::array<unsigned, 3> order{1, 2, 3};
  std::shuffle(order.begin(), order.end(), random);
  std::uint64_t next = innermost;
  for (unsigned d : order) {
    stride[d] = next + (percent(random, 50) ? 0 : below(random, 20));
    next = stride[d] * n[d];
  }
}

inline std::array<std::uint64_t, 4> random_counts(Random& random) {
  std::array<std::uint64_t, 4> n{1, 1, 1, 1};
  switch (below(random, 6)) {
    case 0:
      n[0] = 1 + below(random, 300);
      break;  // one long row
    case 1:
      n[1] = 1 + below(random, 60);
      break;  // single lines
    case 2:
      n[0] = 1 + below(random, 5);
      n[1] = 1 + below(random, 20);
      break;  // short rows
    case 3:
      n[0] = 60 + below(random, 10);
      n[1] = 1 + below(random, 4);
      break;  // about a page
    case 4:
      break;  // one line
    default:
      for (std::uint64_t& count : n) count = 1 + below(random, 5);
  }
  return n;
}

template <typename Top>
void set_word(Top& port, isa::Word word) {
  std::uint32_t* out = sim::words(port);
  out[0] = static_cast<std::uint32_t>(word.lo);
  out[1] = static_cast<std::uint32_t>(word.lo >> 32);
  out[2] = static_cast<std::uint32_t>(word.hi);
  out[3] = static_cast<std::uint32_t>(word.hi >> 32);
}

template <typename Top>
void rise(Top& top) {
  top.clk_i = 1;
  top.eval();
}
template <typename Top>
void fall(Top& top) {
  top.clk_i = 0;
  top.eval();
}
template <typename Top>
void reset(Top& top) {
  top.rst_ni = 0;
  for (int i = 0; i < 3; ++i) {
    fall(top);
    rise(top);
  }
  top.rst_ni = 1;
}

inline constexpr isa::Word kDefaultDims = isa::encode(isa::Dims{});

}  // namespace heddle::test
