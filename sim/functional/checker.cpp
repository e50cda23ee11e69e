#include "sim/functional/checker.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "sim/functional/ranges.h"

namespace heddle::sim {
namespace {

using isa::Error;
using isa::Unit;

constexpr unsigned kOpcodes = 1U << isa::kOpcodeBits;
constexpr int kMaxTokens = 63;

// What the table says about the bits of one opcode's word.
class FieldRules {
 public:
  FieldRules(const isa::InstructionInfo& info, std::uint32_t cols) {
    claim(isa::kOpcodeLsb, isa::kOpcodeBits);
    for (const isa::FieldInfo& field : info.fields) {
      claim(field.lsb, field.bits);
      std::uint32_t max = field.max_is_cols ? cols : field.max;
      if (!field.values.empty()) max = static_cast<std::uint32_t>(field.values.size()) - 1;
      rules_.push_back({field.lsb, field.bits, field.min, max, std::max(field.multiple, 1U)});
    }
  }

  bool legal(isa::Word word) const {
    if ((word.lo & ~used_.lo) != 0 || (word.hi & ~used_.hi) != 0) return false;
    return std::all_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
      const std::uint32_t value = isa::extract(word, rule.lsb, rule.bits);
      return value >= rule.min && value <= rule.max && value % rule.multiple == 0;
    });
  }

 private:
  struct Rule {
    unsigned lsb, bits;
    std::uint32_t min, max, multiple;
  };
  void claim(unsigned lsb, unsigned bits) {
    used_ = isa::insert(used_, lsb, bits, static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1));
  }
  isa::Word used_;
  std::vector<Rule> rules_;
};

Pattern pattern_of(std::uint32_t mem_line, std::uint32_t buf_line, std::uint32_t n0, std::uint32_t n1,
                   std::uint32_t mem_stride1, std::uint32_t buf_stride1, const std::optional<isa::Dims>& dims) {
  Pattern p;
  p.memory_line = mem_line;
  p.buffer_line = buf_line;
  p.count = {n0, n1, 1, 1};
  p.memory_stride = {1, mem_stride1, 0, 0};
  p.buffer_stride = {1, buf_stride1, 0, 0};
  if (dims) {
    p.count[2] = dims->n2;
    p.count[3] = dims->n3;
    p.memory_stride[2] = dims->mem_stride2;
    p.memory_stride[3] = dims->mem_stride3;
    p.buffer_stride[2] = dims->buf_stride2;
    p.buffer_stride[3] = dims->buf_stride3;
  }
  return p;
}

bool odd(std::uint32_t line, std::uint32_t stride) { return ((line | stride) & 1U) != 0; }

class Dispatcher {
 public:
  Dispatcher(const config::Config& config, std::span<const isa::Word> words, const SlotLines& slots)
      : config_(config), words_(words), slots_(slots), rules_(kOpcodes) {
    for (const isa::InstructionInfo& info : isa::table())
      rules_[static_cast<std::size_t>(info.opcode)].emplace(info, config.cols);
  }

  CheckedProgram run() {
    for (index_ = 0; index_ < words_.size(); ++index_) {
      error_ = Error::none;
      const bool go_on = dispatch(words_[index_]);
      if (error_ != Error::none || !go_on) return finish(error_);
    }
    return finish(Error::no_halt);
  }

 private:
  CheckedProgram finish(Error error) {
    program_.outcome = {error, index_};
    return std::move(program_);
  }

  bool require(bool condition, Error error) {
    if (error_ == Error::none && !condition) error_ = error;
    return error_ == Error::none;
  }

  // False at HALT and after an error.
  bool dispatch(isa::Word word) {
    const auto& rules = rules_[isa::opcode_bits(word)];
    if (!require(rules.has_value(), Error::illegal_opcode)) return false;
    if (!require(rules->legal(word), Error::illegal_field)) return false;
    const isa::Instruction instruction = *isa::decode(word);
    const bool takes_dims =
        std::holds_alternative<isa::Load>(instruction) || std::holds_alternative<isa::Store>(instruction);
    const bool takes_vop = std::holds_alternative<isa::Vec>(instruction);
    if (!require(!(dims_ && !takes_dims) && !(vop_ && !takes_vop), Error::illegal_field)) return false;
    const bool go_on = std::visit([this](const auto& i) { return accept(i); }, instruction);
    // Only a WLOAD stands before a MATMUL, so whatever else came takes its place.
    const auto* wload = std::get_if<isa::Wload>(&instruction);
    tile_ = wload != nullptr ? std::optional(*wload) : std::nullopt;
    return go_on && error_ == Error::none;
  }

  bool accept(const isa::Halt&) {
    require(!tile_, Error::tile_mismatch);
    return false;
  }

  bool accept(const isa::Dims& dims) {
    dims_ = dims;
    return require(!tile_, Error::tile_mismatch);
  }

  bool accept(const isa::Vop& vop) {
    vop_ = vop;
    return require(!tile_, Error::tile_mismatch);
  }

  bool accept(const isa::Load& i) {
    LoadOperation load{pattern_of(i.mem_line, i.buf_line, i.n0, i.n1, i.mem_stride1, i.buf_stride1, dims_), i.slot,
                       i.fill != 0};
    dims_.reset();
    require(load.pattern.last_buffer_line() < config_.ub_lines, Error::ub_range);
    if (!load.fill) require(load.pattern.last_memory_line() < slots_[load.slot], Error::memory_range);
    return enqueue(load, Unit::load, i.wait, i.post);
  }

  bool accept(const isa::Store& i) {
    StoreOperation store{pattern_of(i.mem_line, i.buf_line, i.n0, i.n1, i.mem_stride1, i.buf_stride1, dims_), i.slot,
                         i.source == isa::Store::Source::acc};
    dims_.reset();
    if (store.from_accumulators) {
      require(i.n0 <= 2, Error::illegal_field);
      require(store.pattern.last_buffer_line(1) < config_.acc_lines(), Error::acc_range);
    } else {
      require(store.pattern.last_buffer_line() < config_.ub_lines, Error::ub_range);
    }
    require(store.pattern.last_memory_line() < slots_[store.slot], Error::memory_range);
    return enqueue(store, Unit::store, i.wait, i.post);
  }

  bool legal_lane_group(std::uint32_t lane_group) const {
    return config_.cols >= kLanes ? lane_group == 0 : 8 * lane_group + config_.cols <= kLanes;
  }

  bool accept(const isa::Wload& i) {
    require((i.post >> static_cast<unsigned>(Unit::mxu) & 1U) == 0, Error::illegal_field);
    require(i.transpose != 0 ? i.lane_group == 0 : legal_lane_group(i.lane_group), Error::illegal_field);
    require(last_line(i) < config_.ub_lines, Error::ub_range);
    return enqueue(i, Unit::wload, i.wait, i.post);
  }

  bool accept(const isa::Matmul& i) {
    require(legal_lane_group(i.lane_group), Error::illegal_field);
    require(last_line(i) < config_.ub_lines, Error::ub_range);
    require(i.acc_row + i.rows - 1 < config_.acc_rows, Error::acc_range);
    return enqueue(i, Unit::mxu, i.wait, i.post);
  }

  bool accept(const isa::Vec& i) {
    using A = isa::Vec::AKind;
    using B = isa::Vec::BKind;
    const VectorOperation op{i, vop_.value_or(isa::Vop{})};
    vop_.reset();
    const bool d_is_fp32 = i.d_kind == isa::Vec::DKind::fp32;
    require(!(i.a_kind == A::acc && i.b_kind == B::acc), Error::illegal_field);
    require(!(i.a_kind == A::fp32 && odd(i.a_line, i.a_stride)), Error::illegal_field);
    require(!(i.b_kind == B::fp32 && odd(i.b_line, i.b_stride)), Error::illegal_field);
    require(!(d_is_fp32 && odd(i.d_line, i.d_stride)), Error::illegal_field);

    const std::uint32_t written = op.rows_written();
    if (i.a_kind == A::bf16 || i.a_kind == A::fp32) in_buffer(i.a_line, i.rows, i.a_stride, i.a_kind == A::fp32);
    if (i.b_kind == B::bf16 || i.b_kind == B::fp32) in_buffer(i.b_line, i.rows, i.b_stride, i.b_kind == B::fp32);
    in_buffer(i.d_line, written, i.d_stride, d_is_fp32);
    if (op.vop.copy != 0) in_buffer(op.vop.copy_line, written, op.vop.copy_stride, false);
    if (i.a_kind == A::acc) in_accumulators(i.a_line, i.rows, i.a_stride);
    if (i.b_kind == B::acc) in_accumulators(i.b_line, i.rows, i.b_stride);
    return enqueue(op, Unit::vector, i.wait, i.post);
  }

  void in_buffer(std::uint32_t line, std::uint32_t rows, std::uint32_t stride, bool pair) {
    require(last_row(line, rows, stride) + (pair ? 1 : 0) < config_.ub_lines, Error::ub_range);
  }
  void in_accumulators(std::uint32_t line, std::uint32_t rows, std::uint32_t stride) {
    require(last_row(line, rows, stride) < config_.acc_lines(), Error::acc_range);
  }

  bool enqueue(const Operation& operation, Unit unit, std::uint32_t wait, std::uint32_t post) {
    if (!take_tokens(static_cast<unsigned>(unit), wait) || !give_tokens(static_cast<unsigned>(unit), post))
      return false;
    const auto* matmul = std::get_if<isa::Matmul>(&operation);
    const bool tiles_fit =
        matmul == nullptr ? !tile_
                          : tile_ && tile_->passes == matmul->passes &&
                                static_cast<unsigned>(tile_->precision) == static_cast<unsigned>(matmul->precision);
    if (!require(tiles_fit, Error::tile_mismatch)) return false;
    program_.steps.push_back({operation, unit, wait, post, index_});
    return true;
  }

  bool take_tokens(unsigned unit, std::uint32_t wait) {
    for (unsigned from = 0; from < isa::kUnitCount; ++from)
      if ((wait >> from & 1U) != 0) require(tokens_[from][unit]-- > 0, Error::token_underflow);
    return error_ == Error::none;
  }
  bool give_tokens(unsigned unit, std::uint32_t post) {
    for (unsigned to = 0; to < isa::kUnitCount; ++to)
      if ((post >> to & 1U) != 0) require(++tokens_[unit][to] <= kMaxTokens, Error::token_overflow);
    return error_ == Error::none;
  }

  const config::Config& config_;
  std::span<const isa::Word> words_;
  const SlotLines& slots_;
  std::vector<std::optional<FieldRules>> rules_;

  std::uint32_t index_ = 0;
  Error error_ = Error::none;
  std::optional<isa::Dims> dims_;
  std::optional<isa::Vop> vop_;
  std::optional<isa::Wload> tile_;  // the previous word, if it was a WLOAD
  std::array<std::array<int, isa::kUnitCount>, isa::kUnitCount> tokens_{};
  CheckedProgram program_;
};

}  // namespace

CheckedProgram check_program(const config::Config& config, std::span<const isa::Word> words, const SlotLines& slots) {
  return Dispatcher(config, words, slots).run();
}

}  // namespace heddle::sim
