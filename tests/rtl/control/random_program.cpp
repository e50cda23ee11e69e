#include "tests/rtl/control/random_program.h"

#include <algorithm>
#include <tuple>

namespace heddle::test {

std::uint32_t RandomProgram::edge(std::uint64_t limit) {
  switch (pick(4)) {
    case 0:
      return 0;
    case 1:
      return static_cast<std::uint32_t>(limit - 1);
    default:
      return pick(limit);
  }
}

// Waits that are covered, posts that do not overflow; the account is kept.
std::pair<std::uint32_t, std::uint32_t> RandomProgram::tokens(unsigned unit) {
  std::uint32_t wait = 0, post = 0;
  for (unsigned u = 0; u < 5; ++u)
    if (balance_[u][unit] > 0 && pick(3) == 0) {
      wait |= 1u << u;
      --balance_[u][unit];
    }
  for (unsigned u = 0; u < 5; ++u)
    if (balance_[unit][u] < 63 && pick(3) == 0 && !(unit == 1 && u == 2)) {
      post |= 1u << u;
      ++balance_[unit][u];
    }
  return {wait, post};
}

bool RandomProgram::fits(const isa::Instruction& instruction, const isa::Dims& dims, const isa::Vop& vop,
                         unsigned slot) const {
  const Reach reach = reach_of(instruction, dims, vop, sizes_);
  const auto below = [](const std::vector<std::uint64_t>& lasts, std::uint64_t limit) {
    return std::all_of(lasts.begin(), lasts.end(), [&](std::uint64_t last) { return last < limit; });
  };
  return below(reach.ub, sizes_.ub_lines) && below(reach.acc, reach.acc_limit) && below(reach.memory, slots_[slot]);
}

void RandomProgram::transfer(std::vector<isa::Word>& program) {
  const bool prefixed = pick(2), is_store = pick(2), acc = is_store && pick(2);
  isa::Dims dims;
  isa::Load load;
  do {
    load = {};
    dims = {};
    load.slot = pick(16);
    load.n0 = acc ? 1 + pick(2) : count(4095);
    load.n1 = count(4095);
    load.mem_stride1 = stride(1 << 18);
    load.buf_stride1 = stride(1 << 14);
    load.fill = !is_store && pick(4) == 0;
    if (prefixed) {
      dims.n2 = count(4095);
      dims.n3 = count(1023);
      dims.mem_stride2 = stride(1 << 24);
      dims.buf_stride2 = stride(1 << 16);
      dims.mem_stride3 = stride(1 << 26);
      dims.buf_stride3 = stride(1 << 16);
    }
    isa::Store store{.slot = load.slot,
                     .n0 = load.n0,
                     .n1 = load.n1,
                     .mem_stride1 = load.mem_stride1,
                     .buf_stride1 = load.buf_stride1,
                     .source = acc ? isa::Store::Source::acc : isa::Store::Source::ub};
    const isa::Instruction instruction = is_store ? isa::Instruction(store) : isa::Instruction(load);
    if (!fits(instruction, dims, {}, load.slot)) continue;
    const Reach reach = reach_of(instruction, dims, {}, sizes_);
    const std::uint64_t last = reach.ub.empty() ? reach.acc[0] : reach.ub[0];
    load.buf_line = edge((reach.ub.empty() ? sizes_.acc_lines() : sizes_.ub_lines) - last);
    load.mem_line = reach.memory.empty() ? pick(1 << 28)
                                         : edge(std::min<std::uint64_t>(slots_[load.slot] - reach.memory[0], 1 << 28));
    break;
  } while (true);
  const auto [wait, post] = tokens(is_store ? 4 : 0);
  if (prefixed) program.push_back(encode(dims));
  if (is_store)
    program.push_back(encode(isa::Store{.wait = wait,
                                        .post = post,
                                        .slot = load.slot,
                                        .mem_line = load.mem_line,
                                        .buf_line = load.buf_line,
                                        .n0 = load.n0,
                                        .n1 = load.n1,
                                        .mem_stride1 = load.mem_stride1,
                                        .buf_stride1 = load.buf_stride1,
                                        .source = acc ? isa::Store::Source::acc : isa::Store::Source::ub}));
  else {
    load.wait = wait;
    load.post = post;
    program.push_back(encode(load));
  }
}

void RandomProgram::matmul(std::vector<isa::Word>& program) {
  isa::Wload wload;
  isa::Matmul matmul;
  const unsigned groups = sizes_.cols >= 32 ? 1 : (32 - sizes_.cols) / 8 + 1;
  do {
    wload = {};
    wload.transpose = pick(2);
    wload.lane_group = wload.transpose ? 0 : pick(groups);
    wload.row_stride = stride(1 << 14);
    wload.passes = count(1023);
    wload.pass_stride = stride(1 << 16);
    wload.k_tail = 1 + pick(32);
    wload.cols = 1 + edge(sizes_.cols);
    if (fits(wload, {}, {}, 0)) break;
  } while (true);
  wload.ub_line = edge(sizes_.ub_lines - reach_of(wload, {}, {}, sizes_).ub[0]);
  do {
    matmul = {};
    matmul.transpose = pick(2);
    matmul.row_stride = stride(1 << 14);
    matmul.rows = count(4095);
    matmul.passes = wload.passes;
    matmul.pass_stride = stride(1 << 16);
    matmul.k_tail = 1 + pick(32);
    matmul.lane_group = pick(groups);
    matmul.accumulate = pick(2);
    if (fits(matmul, {}, {}, 0)) break;
  } while (true);
  matmul.ub_line = edge(sizes_.ub_lines - reach_of(matmul, {}, {}, sizes_).ub[0]);
  matmul.acc_row = edge(sizes_.acc_rows - matmul.rows + 1);
  std::tie(wload.wait, wload.post) = tokens(1);
  std::tie(matmul.wait, matmul.post) = tokens(2);
  program.push_back(encode(wload));
  program.push_back(encode(matmul));
}

void RandomProgram::vec(std::vector<isa::Word>& program) {
  const bool prefixed = pick(2);
  isa::Vop vop;
  isa::Vec vec;
  do {
    vop = {};
    if (prefixed) {
      vop.mul = isa::Vop::Mul(pick(5));
      vop.add = isa::Vop::Add(pick(7));
      vop.func = isa::Vop::Func(pick(5));
      vop.reduce = isa::Vop::Reduce(pick(4));
      vop.lanes = 1 + pick(32);
      vop.copy = pick(2);
      vop.copy_line = edge(sizes_.ub_lines);
      vop.copy_stride = stride(1 << 10);
      vop.imm_m = pick(1ull << 32);
      vop.imm_a = pick(1ull << 32);
    }
    vec = {};
    vec.a_kind = isa::Vec::AKind(pick(4));
    vec.b_kind = isa::Vec::BKind(pick(4));
    if (vec.a_kind == isa::Vec::AKind::acc && vec.b_kind == isa::Vec::BKind::acc) vec.b_kind = isa::Vec::BKind::none;
    vec.d_kind = isa::Vec::DKind(pick(2));
    vec.rows = count(4095);
    const auto place = [&](unsigned kind, std::uint32_t& line, std::uint32_t& step) {
      step = stride(1 << 10);
      line = kind == 0 ? pick(1 << 18) : edge(kind == 1 ? sizes_.acc_lines() : sizes_.ub_lines);
      if (kind == 3) {
        line &= ~1u;
        step &= ~1u;
      }
    };
    place(unsigned(vec.a_kind), vec.a_line, vec.a_stride);
    place(unsigned(vec.b_kind), vec.b_line, vec.b_stride);
    place(vec.d_kind == isa::Vec::DKind::fp32 ? 3 : 2, vec.d_line, vec.d_stride);
  } while (!fits(vec, {}, vop, 0));
  std::tie(vec.wait, vec.post) = tokens(3);
  if (prefixed) program.push_back(encode(vop));
  program.push_back(encode(vec));
}

std::vector<isa::Word> RandomProgram::legal(unsigned instructions) {
  std::vector<isa::Word> program;
  for (auto& row : balance_)
    for (int& balance : row) balance = 0;
  for (unsigned i = 0; i < instructions; ++i) {
    const unsigned kind = pick(4);
    if (kind == 0)
      matmul(program);
    else if (kind == 1)
      vec(program);
    else
      transfer(program);
  }
  program.push_back(encode(isa::Halt{}));
  return program;
}

void RandomProgram::corrupt(std::vector<isa::Word>& program) {
  if (program.empty()) return;
  const std::size_t at = pick(program.size());
  isa::Word& word = program[at];
  const auto info = isa::find(isa::opcode_bits(word));
  switch (pick(8)) {
    case 0:
      word = isa::test::flip_bits(random_, word);
      break;
    case 1:
      program.erase(program.begin() + at);
      break;
    case 2:
      program.resize(at);
      break;
    case 3:
      program.insert(program.begin() + at, isa::test::legal_word(random_, sizes_.cols));
      break;
    case 4:
      std::swap(word, program[pick(program.size())]);
      break;
    case 5:
      word = {random_(), random_()};
      break;
    default:  // one field a little off
      if (info && !info->fields.empty()) {
        const auto& field = info->fields[pick(info->fields.size())];
        const std::uint64_t mask = field.bits >= 32 ? 0xFFFFFFFFull : (1ull << field.bits) - 1;
        const std::uint32_t value = isa::extract(word, field.lsb, field.bits);
        const std::uint32_t change = pick(2) ? value + 1 : pick(2) ? value - 1 : value ^ (1u << pick(field.bits));
        word = isa::insert(word, field.lsb, field.bits, change & static_cast<std::uint32_t>(mask));
      }
  }
}

}  // namespace heddle::test
