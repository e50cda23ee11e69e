// What the tests of the feeding units share: random streams with a seed that can be replayed, and a unified buffer
// behind one read port.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "rtl/isa/isa.h"

namespace heddle::test {

using Line = std::array<std::uint16_t, 32>;

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t bits() { return static_cast<std::uint32_t>(engine_()); }
  // Both ends included.
  std::uint32_t in(std::uint32_t low, std::uint32_t high) { return low + bits() % (high - low + 1); }
  bool percent(std::uint32_t chance) { return bits() % 100 < chance; }
  // One of the ends in a third of the draws each: sizes break at their ends.
  std::uint32_t edgy(std::uint32_t low, std::uint32_t high) {
    const std::uint32_t draw = bits() % 3;
    return draw == 0 ? low : draw == 1 ? high : in(low, high);
  }

 private:
  std::mt19937 engine_;
};

// Seeds of a random test: the one in HEDDLE_SEED, or `count` fixed ones.
inline std::vector<std::uint32_t> seeds(std::uint32_t count) {
  if (const char* seed = std::getenv("HEDDLE_SEED"))
    return {static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 0))};
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(1000 + i);
  return all;
}

inline std::string replay(std::uint32_t seed) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return "seed " + std::to_string(seed) + "; replay: HEDDLE_SEED=" + std::to_string(seed) +
         " <this program> --gtest_filter=" + test->test_suite_name() + "." + test->name();
}

template <class Wide>
void put_line(Wide& port, const Line& line) {
  for (unsigned w = 0; w < 16; ++w) port[w] = line[2 * w] | static_cast<std::uint32_t>(line[2 * w + 1]) << 16;
}

// Element `index` of a vector of bf16.
template <class Wide>
std::uint16_t element(const Wide& port, unsigned index) {
  return static_cast<std::uint16_t>(port[index / 2] >> 16 * (index % 2));
}

template <class Wide>
void put_word(Wide& port, isa::Word word) {
  port[0] = static_cast<std::uint32_t>(word.lo);
  port[1] = static_cast<std::uint32_t>(word.lo >> 32);
  port[2] = static_cast<std::uint32_t>(word.hi);
  port[3] = static_cast<std::uint32_t>(word.hi >> 32);
}

// A unified buffer behind one read port: refuses at random, answers exactly three cycles after acceptance.
class Buffer {
 public:
  Buffer(std::uint32_t lines, Random& random) : lines_(lines), random_(&random) {
    for (auto& line : lines_)
      for (auto& value : line) value = static_cast<std::uint16_t>(random.bits());
  }
  const Line& operator[](std::uint32_t line) const { return lines_.at(line); }
  Line& operator[](std::uint32_t line) { return lines_.at(line); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(lines_.size()); }

  // Before a cycle is evaluated, and after it.
  template <class Model>
  void drive(Model& model) {
    model.req_ready_i = !random_->percent(stall_percent);
    model.rsp_valid_i = pipe_[2] >= 0;
    Line noise;
    noise.fill(static_cast<std::uint16_t>(random_->bits()));
    put_line(model.rsp_data_i, pipe_[2] >= 0 ? lines_.at(static_cast<std::uint32_t>(pipe_[2])) : noise);
    if (pipe_[2] >= 0) ++answered;
  }
  template <class Model>
  void observe(Model& model) {
    pipe_[2] = pipe_[1];
    pipe_[1] = pipe_[0];
    pipe_[0] = -1;
    if (model.req_valid_o && model.req_ready_i) {
      pipe_[0] = model.req_line_o;
      reads.push_back(model.req_line_o);
    }
  }

  std::uint32_t stall_percent = 0;
  std::vector<std::uint32_t> reads;  // accepted, in order
  std::size_t answered = 0;

 private:
  std::vector<Line> lines_;
  Random* random_;
  std::array<std::int64_t, 3> pipe_ = {-1, -1, -1};
};

}  // namespace heddle::test
