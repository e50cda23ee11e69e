#include "tests/fuzz/program_generator.h"

#include <algorithm>
#include <cstring>

#include "sim/functional/race.h"

namespace heddle::fuzz {
namespace {

using plain::chance;
using plain::pick;

constexpr std::uint32_t kLanes = sim::kLanes;

sim::SlotBases separate_slots() {
  sim::SlotBases bases{};
  for (unsigned s = 0; s < sim::kSlots; ++s) bases[s] = std::uint64_t{s} << 32;
  return bases;
}

// Mostly small, now and then near the limit.
std::uint32_t small(plain::Random& random, std::uint32_t limit) {
  if (chance(random, 30)) return 1;
  return chance(random, 75) ? pick(random, 1, std::min(limit, 5U)) : pick(random, 1, limit);
}

// An enumeration's value, uniform over all `count` names.
template <typename E>
E any(plain::Random& random, std::uint32_t count) {
  return static_cast<E>(pick(random, 0, count - 1));
}

}  // namespace

ProgramGenerator::ProgramGenerator(const config::Config& config, std::uint64_t seed)
    : config_(config),
      random_(seed),
      window_(std::min(config.ub_lines / 2, 144U)),
      top_window_(std::min(config.ub_lines / 4, 24U)),
      row_window_(std::min(config.acc_lines() / 2, 48U)) {
  slots_[0] = 160;
  slots_[1] = 96;
  slots_[2] = 1;
  slots_[3] = 96;
  slots_[6] = 70;
  slots_[13] = 65;
  slots_[dump_slot()] = window_ + top_window_ + 4 * row_window_;
}

std::vector<std::uint8_t> ProgramGenerator::random_memory(unsigned slot) {
  std::vector<std::uint8_t> memory(std::size_t{slots_[slot]} * sim::kLineBytes);
  for (std::size_t line = 0; line < slots_[slot]; ++line) {
    const plain::Data kind = plain::random_kind(random_);
    std::array<std::uint16_t, 32> bf16{};
    std::array<std::uint32_t, 16> fp32{};
    if (chance(random_, 60)) {
      plain::fill_bf16(random_, kind, bf16);
      std::memcpy(&memory[line * sim::kLineBytes], bf16.data(), sizeof bf16);
    } else {
      plain::fill_fp32(random_, kind, fp32);
      std::memcpy(&memory[line * sim::kLineBytes], fp32.data(), sizeof fp32);
    }
  }
  return memory;
}

std::uint32_t ProgramGenerator::buffer_line() {
  if (chance(random_, 85)) return pick(random_, 0, window_ - 1);
  return pick(random_, config_.ub_lines - top_window_, config_.ub_lines - 1);
}

std::uint32_t ProgramGenerator::accumulator_row(std::uint32_t rows) {
  if (chance(random_, 80) || rows < row_window_) return pick(random_, 0, row_window_ - 1);
  return pick(random_, rows - row_window_, rows - 1);
}

std::uint32_t ProgramGenerator::stride() { return chance(random_, 50) ? 1 : pick(random_, 0, 6); }

unsigned ProgramGenerator::slot() {
  unsigned slot = 0;
  do {
    slot = pick(random_, 0, dump_slot() - 1);
  } while (slots_[slot] == 0);
  return slot;
}

namespace {

// The fields that LOAD and STORE share.
template <typename T>
void fill_pattern(plain::Random& random, T& x) {
  x.n0 = small(random, 12);
  x.n1 = small(random, 6);
  x.mem_stride1 = pick(random, 0, 14);
  x.buf_stride1 = pick(random, 0, 14);
}

isa::Dims random_dims(plain::Random& random) {
  isa::Dims dims;
  dims.n2 = small(random, 3);
  dims.n3 = small(random, 3);
  dims.mem_stride2 = pick(random, 0, 30);
  dims.mem_stride3 = pick(random, 0, 40);
  dims.buf_stride2 = pick(random, 0, 30);
  dims.buf_stride3 = pick(random, 0, 40);
  return dims;
}

}  // namespace

ProgramGenerator::Item ProgramGenerator::load() {
  Item item;
  if (chance(random_, 30)) item.push_back(isa::encode(random_dims(random_)));
  isa::Load x;
  fill_pattern(random_, x);
  x.slot = slot();
  x.mem_line = pick(random_, 0, slots_[x.slot] - 1);
  x.buf_line = buffer_line();
  if (chance(random_, 15)) {
    x.fill = 1;
    if (chance(random_, 50)) x.slot = pick(random_, 0, 15);  // ignored
    if (chance(random_, 50)) x.mem_line = pick(random_, 0, (1U << 28) - 1);
  }
  item.push_back(isa::encode(x));
  return item;
}

ProgramGenerator::Item ProgramGenerator::store() {
  Item item;
  if (chance(random_, 30)) item.push_back(isa::encode(random_dims(random_)));
  isa::Store x;
  fill_pattern(random_, x);
  x.slot = slot();
  x.mem_line = pick(random_, 0, slots_[x.slot] - 1);
  x.buf_line = buffer_line();
  if (chance(random_, 45)) {
    x.source = isa::Store::Source::acc;
    x.n0 = pick(random_, 1, 2);
    x.buf_line = accumulator_row(config_.acc_lines());
  }
  item.push_back(isa::encode(x));
  return item;
}

ProgramGenerator::Item ProgramGenerator::matmul() {
  const std::uint32_t groups = config_.cols >= kLanes ? 1 : (kLanes - config_.cols) / 8 + 1;
  isa::Wload w;
  w.passes = small(random_, 5);
  w.transpose = pick(random_, 0, 1);
  w.lane_group = w.transpose != 0 ? 0 : pick(random_, 0, groups - 1);
  w.row_stride = stride();
  w.pass_stride = chance(random_, 30) ? pick(random_, 0, 40) : pick(random_, 0, 4);
  w.k_tail = chance(random_, 60) ? kLanes : pick(random_, 1, kLanes);
  w.cols = chance(random_, 60) ? config_.cols : pick(random_, 1, config_.cols);
  w.ub_line = buffer_line();

  isa::Matmul m;
  m.passes = w.passes;
  m.rows = small(random_, 40);
  m.transpose = pick(random_, 0, 1);
  m.lane_group = pick(random_, 0, groups - 1);
  m.row_stride = stride();
  m.pass_stride = chance(random_, 30) ? pick(random_, 0, 40) : pick(random_, 0, 4);
  m.k_tail = chance(random_, 80) ? w.k_tail : pick(random_, 1, kLanes);
  m.accumulate = pick(random_, 0, 1);
  m.acc_row = accumulator_row(config_.acc_rows);
  m.ub_line = buffer_line();
  return {isa::encode(w), isa::encode(m)};
}

ProgramGenerator::Item ProgramGenerator::vec() {
  isa::Vop vop;
  vop.mul = any<isa::Vop::Mul>(random_, 5);
  vop.add = any<isa::Vop::Add>(random_, 7);
  vop.func = chance(random_, 50) ? isa::Vop::Func::none : any<isa::Vop::Func>(random_, 5);
  vop.reduce = chance(random_, 50) ? isa::Vop::Reduce::none : any<isa::Vop::Reduce>(random_, 4);
  vop.lanes = chance(random_, 40) ? kLanes : pick(random_, 1, kLanes);
  vop.copy = chance(random_, 30) ? 1 : 0;
  vop.copy_line = buffer_line();
  vop.copy_stride = stride();
  vop.imm_m = plain::random_fp32(random_, plain::random_kind(random_), 0);
  vop.imm_a = plain::random_fp32(random_, plain::random_kind(random_), 0);

  isa::Vec x;
  x.rows = small(random_, 40);
  x.a_kind = any<isa::Vec::AKind>(random_, 4);
  x.b_kind = any<isa::Vec::BKind>(random_, 4);
  x.d_kind = any<isa::Vec::DKind>(random_, 2);
  x.a_line = x.a_kind == isa::Vec::AKind::acc ? accumulator_row(config_.acc_lines()) : buffer_line();
  x.b_line = x.b_kind == isa::Vec::BKind::acc ? accumulator_row(config_.acc_lines()) : buffer_line();
  x.d_line = buffer_line();
  x.a_stride = stride();
  x.b_stride = stride();
  x.d_stride = stride();
  if (x.a_kind == isa::Vec::AKind::fp32) x.a_line &= ~1U, x.a_stride &= ~1U;
  if (x.b_kind == isa::Vec::BKind::fp32) x.b_line &= ~1U, x.b_stride &= ~1U;
  if (x.d_kind == isa::Vec::DKind::fp32) x.d_line &= ~1U, x.d_stride &= ~1U;
  if (x.d_kind == isa::Vec::DKind::fp32 && x.d_stride == 0) x.d_stride = 2;
  if (chance(random_, 20)) {  // in place on b
    if (x.b_kind == isa::Vec::BKind::fp32)
      x.d_kind = isa::Vec::DKind::fp32, x.d_line = x.b_line, x.d_stride = x.b_stride;
    if (x.b_kind == isa::Vec::BKind::bf16)
      x.d_kind = isa::Vec::DKind::bf16, x.d_line = x.b_line, x.d_stride = x.b_stride;
  }
  if (chance(random_, 20)) return {isa::encode(x)};
  return {isa::encode(vop), isa::encode(x)};
}

bool ProgramGenerator::acceptable(const Item& item) const {
  std::vector<isa::Word> words = item;
  words.push_back(isa::encode(isa::Halt{}));
  const sim::CheckedProgram checked = sim::check_program(config_, words, slots_);
  return checked.outcome.error == isa::Error::none && !sim::find_race(config_, checked.steps, separate_slots());
}

ProgramGenerator::Item ProgramGenerator::random_item() {
  for (;;) {
    Item item;
    const std::uint32_t kind = pick(random_, 0, 9);
    if (kind < 3) item = load();
    if (kind == 3) item = store();
    if (kind >= 4 && kind < 7) item = matmul();
    if (kind >= 7) item = vec();
    if (acceptable(item)) return item;
  }
}

Case ProgramGenerator::legal() {
  Case result;
  const std::uint32_t items = chance(random_, 20) ? pick(random_, 0, 3) : pick(random_, 4, 30);
  for (std::uint32_t i = 0; i < items; ++i) {
    const Item item = random_item();
    result.words.insert(result.words.end(), item.begin(), item.end());
  }
  result.words.push_back(isa::encode(isa::Halt{}));
  place_tokens(config_, slots_, random_, result.words);
  while (chance(random_, 20)) result.words.push_back({random_(), random_()});  // never read
  result.expected = sim::check_program(config_, result.words, slots_).outcome;
  return result;
}

void ProgramGenerator::damage(std::vector<isa::Word>& words) {
  if (words.empty()) return;
  const auto any_word = [&]() -> isa::Word& { return words[random_() % words.size()]; };
  switch (pick(random_, 0, 6)) {
    case 0:
    case 1:
    case 2: {
      const std::uint32_t flips = pick(random_, 1, 3);
      for (std::uint32_t i = 0; i < flips; ++i) {
        const std::uint32_t bit = pick(random_, 0, 127);
        isa::Word& word = any_word();
        (bit < 64 ? word.lo : word.hi) ^= std::uint64_t{1} << (bit % 64);
      }
      break;
    }
    case 3:
      words.resize(random_() % words.size());
      break;
    case 4:
      std::swap(any_word(), any_word());
      break;
    case 5: {
      const isa::Word copy = any_word();
      any_word() = copy;
      break;
    }
    case 6:
      any_word() = {random_(), random_()};
      break;
  }
}

Case ProgramGenerator::corrupted() {
  const Case whole = legal();
  for (;;) {
    Case result = whole;
    damage(result.words);
    while (chance(random_, 20)) damage(result.words);
    const sim::CheckedProgram checked = sim::check_program(config_, result.words, slots_);
    if (sim::find_race(config_, checked.steps, separate_slots())) continue;
    result.expected = checked.outcome;
    return result;
  }
}

std::vector<isa::Word> ProgramGenerator::dump_program() const {
  std::vector<isa::Word> words;
  isa::Store x;
  x.slot = dump_slot();
  const auto store = [&](std::uint32_t first, std::uint32_t lines) {
    x.buf_line = first;
    x.n0 = lines;
    words.push_back(isa::encode(x));
    x.mem_line += lines;
  };
  store(0, window_);
  store(config_.ub_lines - top_window_, top_window_);
  x.source = isa::Store::Source::acc;
  x.n0 = 2;
  x.n1 = row_window_;
  x.mem_stride1 = 2;
  x.buf_stride1 = 1;
  for (const std::uint32_t first : {0U, config_.acc_lines() - row_window_}) {
    x.buf_line = first;
    words.push_back(isa::encode(x));
    x.mem_line += 2 * row_window_;
  }
  words.push_back(isa::encode(isa::Halt{}));
  return words;
}

}  // namespace heddle::fuzz
