// functional_speed: milliseconds that the functional model takes for the work of one training step of the MLP
// 784-128-10 at batch 128 (forward, gradients, momentum update, all traffic), in the order a compiler would give it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "sim/functional/core.h"

namespace {

using namespace heddle;

constexpr std::uint32_t kInputs = 0;      // 128 x 25 lines of bf16
constexpr std::uint32_t kWeights = 3200;  // 784 x 4 lines of bf16
constexpr std::uint32_t kDelta = 6400;    // 128 x 4 lines of bf16
constexpr std::uint32_t kMaster = 7000;   // fp32, a quarter of the rows at a time
constexpr std::uint32_t kMomentum = 9000;
constexpr std::uint32_t kHidden = 12000;  // 128 x 4 lines of bf16

class Step {
 public:
  std::vector<isa::Word> words() {
    forward();
    gradient();
    words_.push_back(isa::encode(isa::Halt{}));
    return words_;
  }

 private:
  void load(unsigned slot, std::uint32_t from, std::uint32_t to, std::uint32_t lines) {
    isa::Load x;
    x.slot = slot;
    x.mem_line = from;
    x.buf_line = to;
    x.n0 = lines;
    words_.push_back(isa::encode(x));
  }
  void store(unsigned slot, std::uint32_t from, std::uint32_t to, std::uint32_t lines) {
    isa::Store x;
    x.slot = slot;
    x.mem_line = to;
    x.buf_line = from;
    x.n0 = lines;
    words_.push_back(isa::encode(x));
  }

  void forward() {
    load(0, 0, kInputs, 3200);
    load(1, 0, kWeights, 3136);
    for (std::uint32_t tile = 0; tile < 4; ++tile) {
      isa::Wload w;
      w.ub_line = kWeights + tile;
      w.row_stride = 4;
      w.passes = 25;
      w.pass_stride = 128;
      w.k_tail = 16;
      w.cols = 32;
      isa::Matmul m;
      m.ub_line = kInputs;
      m.row_stride = 25;
      m.rows = 128;
      m.passes = 25;
      m.pass_stride = 1;
      m.k_tail = 16;
      words_.push_back(isa::encode(w));
      words_.push_back(isa::encode(m));
      isa::Vop relu;
      relu.func = isa::Vop::Func::relu;
      isa::Vec v;
      v.a_kind = isa::Vec::AKind::acc;
      v.a_stride = 1;
      v.d_line = kHidden + tile;
      v.d_stride = 4;
      v.rows = 128;
      words_.push_back(isa::encode(relu));
      words_.push_back(isa::encode(v));
    }
  }

  // dW = X^T dY, a column tile at a time, and the update with momentum in its drain.
  void gradient() {
    for (std::uint32_t tile = 0; tile < 4; ++tile) {
      isa::Wload w;
      w.ub_line = kDelta + tile;
      w.row_stride = 4;
      w.passes = 4;
      w.pass_stride = 128;
      w.cols = 32;
      w.k_tail = 32;
      isa::Matmul m;
      m.ub_line = kInputs;
      m.transpose = 1;
      m.row_stride = 25;
      m.rows = 784;
      m.passes = 4;
      m.pass_stride = 800;
      m.k_tail = 32;
      words_.push_back(isa::encode(w));
      words_.push_back(isa::encode(m));
      load(2, tile * 1568, kMaster, 1568);
      load(3, tile * 1568, kMomentum, 1568);
      update(tile);
      store(2, kMaster, tile * 1568, 1568);
      store(3, kMomentum, tile * 1568, 1568);
    }
  }

  void update(std::uint32_t tile) {
    isa::Vop velocity;  // v = 0.9 v + dW
    isa::Vec v;
    velocity.mul = isa::Vop::Mul::imm;
    velocity.imm_m = 0x3F666666;
    velocity.add = isa::Vop::Add::b;
    v.a_kind = isa::Vec::AKind::fp32;
    v.a_line = v.d_line = kMomentum;
    v.a_stride = v.d_stride = 2;
    v.b_kind = isa::Vec::BKind::acc;
    v.b_stride = 1;
    v.d_kind = isa::Vec::DKind::fp32;
    v.rows = 784;
    words_.push_back(isa::encode(velocity));
    words_.push_back(isa::encode(v));
    isa::Vop step;  // w = w - rate v, and its bf16 copy
    isa::Vec s = v;
    step.mul = isa::Vop::Mul::imm;
    step.imm_m = 0xBC23D70A;
    step.add = isa::Vop::Add::b;
    step.copy = 1;
    step.copy_line = kWeights + tile;
    step.copy_stride = 4;
    s.b_kind = isa::Vec::BKind::fp32;
    s.b_line = s.d_line = kMaster;
    s.b_stride = 2;
    words_.push_back(isa::encode(step));
    words_.push_back(isa::encode(s));
  }

  std::vector<isa::Word> words_;
};

std::vector<std::byte> random_lines(std::size_t lines) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::byte> result(lines * sim::kLineBytes);
  for (std::size_t i = 0; i < result.size(); i += 2) {
    const auto bits = std::bit_cast<std::uint32_t>(normal(random));
    result[i] = static_cast<std::byte>(bits >> 16 & 0xFF);
    result[i + 1] = static_cast<std::byte>(bits >> 24);
  }
  return result;
}

}  // namespace

int main() {
  std::vector<std::vector<std::byte>> memory = {random_lines(3200), random_lines(3200), random_lines(6400),
                                                random_lines(6400)};
  sim::Slots slots;
  for (unsigned s = 0; s < memory.size(); ++s) slots[s] = memory[s];
  sim::Core core(config::load("sim"), {.check_races = false});  // the order is what matters here, not tokens
  const std::vector<isa::Word> program = Step().words();
  std::vector<double> milliseconds;
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const sim::Outcome outcome = core.run(program, slots);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (outcome.error != isa::Error::none) {
      std::printf("error %s at %u\n", std::string(isa::to_string(outcome.error)).c_str(), outcome.index);
      return 1;
    }
    milliseconds.push_back(took.count());
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("functional model, one MLP step: best %.3f ms, median %.3f ms\n", milliseconds.front(),
              milliseconds[milliseconds.size() / 2]);
  return 0;
}
