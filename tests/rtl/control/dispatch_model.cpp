#include "tests/rtl/control/dispatch_model.h"

#include <algorithm>

#include "rtl/isa/legality.h"

namespace heddle::test {
namespace {

using isa::Error;

bool lane_group_fits(std::uint32_t group, std::uint32_t cols) {
  return cols >= 32 ? group == 0 : 8 * group + cols <= 32;
}

bool odd(std::uint32_t line, std::uint32_t stride) { return (line | stride) & 1; }

bool extra_rules_hold(const isa::Instruction& instruction, const Sizes& sizes) {
  if (const auto* wload = std::get_if<isa::Wload>(&instruction)) {
    if (wload->post >> unsigned(isa::Unit::mxu) & 1) return false;
    return wload->transpose ? wload->lane_group == 0 : lane_group_fits(wload->lane_group, sizes.cols);
  }
  if (const auto* matmul = std::get_if<isa::Matmul>(&instruction))
    return lane_group_fits(matmul->lane_group, sizes.cols);
  if (const auto* store = std::get_if<isa::Store>(&instruction))
    return store->source != isa::Store::Source::acc || store->n0 <= 2;
  if (const auto* vec = std::get_if<isa::Vec>(&instruction)) {
    if (vec->a_kind == isa::Vec::AKind::acc && vec->b_kind == isa::Vec::BKind::acc) return false;
    if (vec->a_kind == isa::Vec::AKind::fp32 && odd(vec->a_line, vec->a_stride)) return false;
    if (vec->b_kind == isa::Vec::BKind::fp32 && odd(vec->b_line, vec->b_stride)) return false;
    if (vec->d_kind == isa::Vec::DKind::fp32 && odd(vec->d_line, vec->d_stride)) return false;
  }
  return true;
}

bool takes_prefix(const isa::Instruction& instruction, const isa::Instruction& prefix) {
  if (std::holds_alternative<isa::Vop>(prefix)) return std::holds_alternative<isa::Vec>(instruction);
  return std::holds_alternative<isa::Load>(instruction) || std::holds_alternative<isa::Store>(instruction);
}

struct Sync {
  unsigned unit;
  std::uint32_t wait, post;
};

std::optional<Sync> sync_of(const isa::Instruction& instruction) {
  if (const auto* x = std::get_if<isa::Load>(&instruction)) return Sync{0, x->wait, x->post};
  if (const auto* x = std::get_if<isa::Wload>(&instruction)) return Sync{1, x->wait, x->post};
  if (const auto* x = std::get_if<isa::Matmul>(&instruction)) return Sync{2, x->wait, x->post};
  if (const auto* x = std::get_if<isa::Vec>(&instruction)) return Sync{3, x->wait, x->post};
  if (const auto* x = std::get_if<isa::Store>(&instruction)) return Sync{4, x->wait, x->post};
  return std::nullopt;
}

template <typename T>
std::uint64_t device_side(const T& x, const isa::Dims& d, bool rows) {
  return x.buf_line + (rows ? 0 : x.n0 - 1) + std::uint64_t{x.n1 - 1} * x.buf_stride1 +
         std::uint64_t{d.n2 - 1} * d.buf_stride2 + std::uint64_t{d.n3 - 1} * d.buf_stride3;
}

template <typename T>
std::uint64_t memory_side(const T& x, const isa::Dims& d) {
  return x.mem_line + (x.n0 - 1) + std::uint64_t{x.n1 - 1} * x.mem_stride1 + std::uint64_t{d.n2 - 1} * d.mem_stride2 +
         std::uint64_t{d.n3 - 1} * d.mem_stride3;
}

void reach_of_vec(Reach& reach, const isa::Vec& vec, const isa::Vop& vop) {
  const auto operand = [&](unsigned kind, std::uint64_t line, std::uint64_t stride, std::uint64_t rows) {
    const std::uint64_t last = line + (rows - 1) * stride + (kind == 3 ? 1 : 0);
    if (kind == 1) reach.acc.push_back(last);
    if (kind >= 2) reach.ub.push_back(last);
  };
  const std::uint64_t written = vop.reduce == isa::Vop::Reduce::row_sum ? 1 : vec.rows;
  operand(unsigned(vec.a_kind), vec.a_line, vec.a_stride, vec.rows);
  operand(unsigned(vec.b_kind), vec.b_line, vec.b_stride, vec.rows);
  operand(vec.d_kind == isa::Vec::DKind::fp32 ? 3 : 2, vec.d_line, vec.d_stride, written);
  if (vop.copy) operand(2, vop.copy_line, vop.copy_stride, written);
}

}  // namespace

Reach reach_of(const isa::Instruction& instruction, const isa::Dims& dims, const isa::Vop& vop, const Sizes& sizes) {
  Reach reach;
  reach.acc_limit = sizes.acc_lines();
  if (const auto* load = std::get_if<isa::Load>(&instruction)) {
    reach.ub.push_back(device_side(*load, dims, false));
    if (!load->fill) reach.memory.push_back(memory_side(*load, dims));
  } else if (const auto* store = std::get_if<isa::Store>(&instruction)) {
    const bool acc = store->source == isa::Store::Source::acc;
    (acc ? reach.acc : reach.ub).push_back(device_side(*store, dims, acc));
    reach.memory.push_back(memory_side(*store, dims));
  } else if (const auto* w = std::get_if<isa::Wload>(&instruction)) {
    const std::uint64_t tile = w->transpose ? std::uint64_t{w->cols - 1} * w->row_stride
                                            : 31ull * w->row_stride + (8 * w->lane_group + w->cols - 1) / 32;
    reach.ub.push_back(w->ub_line + tile + std::uint64_t{w->passes - 1} * w->pass_stride);
  } else if (const auto* m = std::get_if<isa::Matmul>(&instruction)) {
    const std::uint64_t pass =
        m->transpose ? 31ull * m->row_stride + (m->rows - 1) / 32 : std::uint64_t{m->rows - 1} * m->row_stride;
    reach.ub.push_back(m->ub_line + pass + std::uint64_t{m->passes - 1} * m->pass_stride);
    reach.acc.push_back(std::uint64_t{m->acc_row} + m->rows - 1);
    reach.acc_limit = sizes.acc_rows;
  } else if (const auto* vec = std::get_if<isa::Vec>(&instruction)) {
    reach_of_vec(reach, *vec, vop);
  }
  return reach;
}

Verdict judge(std::span<const isa::Word> program, const SlotLines& slots, const Sizes& sizes,
              std::optional<std::uint32_t> fetch_error) {
  Verdict verdict;
  int balance[5][5] = {};
  std::optional<isa::Instruction> prefix;
  std::optional<isa::Wload> wload;
  const auto fail = [&](Error error, std::uint32_t index) {
    verdict.error = error;
    verdict.index = index;
    verdict.words = index;
    verdict.wload_alone = wload.has_value();
    return verdict;
  };
  for (std::uint32_t index = 0;; ++index) {
    if (index == program.size()) return fail(Error::no_halt, index);
    if (fetch_error && index >= *fetch_error) return fail(Error::axi_fetch, index);
    const isa::Word word = program[index];
    const auto decoded = isa::decode(word);
    if (!decoded) return fail(Error::illegal_opcode, index);
    if (isa::check_table(word, sizes.cols) != Error::none || !extra_rules_hold(*decoded, sizes) ||
        (prefix && !takes_prefix(*decoded, *prefix)))
      return fail(Error::illegal_field, index);

    const isa::Dims dims =
        prefix && std::holds_alternative<isa::Dims>(*prefix) ? std::get<isa::Dims>(*prefix) : isa::Dims{};
    const isa::Vop vop = prefix && std::holds_alternative<isa::Vop>(*prefix) ? std::get<isa::Vop>(*prefix) : isa::Vop{};
    const Reach reach = reach_of(*decoded, dims, vop, sizes);
    for (const auto last : reach.ub)
      if (last >= sizes.ub_lines) return fail(Error::ub_range, index);
    for (const auto last : reach.acc)
      if (last >= reach.acc_limit) return fail(Error::acc_range, index);
    for (const auto last : reach.memory) {
      const auto* load = std::get_if<isa::Load>(&*decoded);
      if (last >= slots[load ? load->slot : std::get<isa::Store>(*decoded).slot])
        return fail(Error::memory_range, index);
    }

    const auto sync = sync_of(*decoded);
    if (sync) {
      for (unsigned u = 0; u < 5; ++u)
        if ((sync->wait >> u & 1) && balance[u][sync->unit] == 0) return fail(Error::token_underflow, index);
      for (unsigned u = 0; u < 5; ++u)
        if (sync->wait >> u & 1) --balance[u][sync->unit];
      for (unsigned u = 0; u < 5; ++u)
        if ((sync->post >> u & 1) && ++balance[sync->unit][u] > 63) return fail(Error::token_overflow, index);
    }

    const auto* matmul = std::get_if<isa::Matmul>(&*decoded);
    if (wload) {
      if (!matmul || matmul->passes != wload->passes || unsigned(matmul->precision) != unsigned(wload->precision))
        return fail(Error::tile_mismatch, index);
    } else if (matmul) {
      return fail(Error::tile_mismatch, index);
    }
    wload = std::holds_alternative<isa::Wload>(*decoded) ? std::optional(std::get<isa::Wload>(*decoded)) : std::nullopt;

    if (std::holds_alternative<isa::Halt>(*decoded)) {
      verdict.words = index + 1;
      return verdict;
    }
    if (sync) {
      const isa::Word prefix_word = sync->unit == 3 ? isa::encode(vop) : isa::encode(dims);
      verdict.dispatched.push_back({sync->unit, index, word, prefix_word, sync->wait, sync->post});
    }
    prefix.reset();
    if (std::holds_alternative<isa::Dims>(*decoded) || std::holds_alternative<isa::Vop>(*decoded)) prefix = *decoded;
  }
}

}  // namespace heddle::test
