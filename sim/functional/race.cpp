#include "sim/functional/race.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::sim {
namespace {

using Clock = std::array<std::uint32_t, isa::kUnitCount>;  // completed instructions of each unit

constexpr unsigned number(isa::Unit unit) { return static_cast<unsigned>(unit); }
constexpr std::uint32_t kLaneGroups = 4;  // accumulators are told apart by eight lanes

// Who touched a place last. Steps count from 1; 0 is nobody.
struct Place {
  std::uint32_t writer = 0;
  std::uint32_t row = 0;  // of the writer, when it is the current instruction
  std::array<std::uint32_t, isa::kUnitCount> readers{};
};

// Places of device memory, made when they are touched.
class Pages {
 public:
  Place& operator[](std::uint64_t line) {
    const std::uint64_t number = line / kPage;
    if (page_ == nullptr || number != number_) {
      std::unique_ptr<Page>& page = pages_[number];
      if (!page) page = std::make_unique<Page>();
      page_ = page.get();
      number_ = number;
    }
    return (*page_)[line % kPage];
  }

 private:
  static constexpr std::size_t kPage = 256;
  using Page = std::array<Place, kPage>;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  Page* page_ = nullptr;
  std::uint64_t number_ = 0;
};

// Clocks of all steps from their tokens.
struct Clocks {
  explicit Clocks(std::span<const Step> steps) : start(steps.size()), sequence(steps.size()) {
    std::array<std::array<std::vector<std::uint32_t>, isa::kUnitCount>, isa::kUnitCount> posts;
    std::array<std::array<std::size_t, isa::kUnitCount>, isa::kUnitCount> taken{};
    Clock counts{};
    std::array<Clock, isa::kUnitCount> latest{};  // of the unit's previous instruction
    for (std::uint32_t s = 0; s < steps.size(); ++s) {
      const unsigned unit = number(steps[s].unit);
      Clock& clock = latest[unit];
      for (unsigned from = 0; from < isa::kUnitCount; ++from) {
        if ((steps[s].wait >> from & 1U) == 0) continue;
        const std::uint32_t poster = posts[from][unit][taken[from][unit]++];
        for (unsigned u = 0; u < isa::kUnitCount; ++u) clock[u] = std::max(clock[u], start[poster][u]);
        clock[from] = std::max(clock[from], sequence[poster]);
      }
      start[s] = clock;
      sequence[s] = ++counts[unit];
      for (unsigned to = 0; to < isa::kUnitCount; ++to)
        if ((steps[s].post >> to & 1U) != 0) posts[unit][to].push_back(s);
    }
  }
  std::vector<Clock> start;             // what step s knows when it starts
  std::vector<std::uint32_t> sequence;  // its number within its unit, from 1
};

class Detector {
 public:
  Detector(const config::Config& config, std::span<const Step> steps, const SlotBases& slots)
      : config_(config),
        steps_(steps),
        slots_(slots),
        clocks_(steps),
        buffer_(config.ub_lines),
        accumulators_(std::size_t{config.acc_lines()} * kLaneGroups) {}

  std::optional<Race> run() {
    for (step_ = 0; step_ < steps_.size() && !race_; ++step_)
      std::visit([this](const auto& operation) { visit(operation); }, steps_[step_].operation);
    return race_;
  }

 private:
  struct Location {
    Storage storage;
    std::uint64_t line;
    unsigned slot = 0;
  };

  // --- the rules ---------------------------------------------------------------------------------------------------
  bool knows(std::uint32_t earlier) const {
    return clocks_.start[step_][number(steps_[earlier].unit)] >= clocks_.sequence[earlier];
  }

  // A write after `earlier`'s access by the same unit needs no token where the unit keeps order by itself.
  bool unit_orders_writes(std::uint32_t earlier) const {
    const isa::Unit unit = steps_[step_].unit;
    return unit == steps_[earlier].unit && (unit == isa::Unit::mxu || unit == isa::Unit::vector);
  }

  void report(std::uint32_t earlier, bool earlier_writes, bool later_writes, const Location& at) {
    if (race_) return;
    race_ = Race{at.storage,
                 at.line,
                 at.slot,
                 steps_[earlier].index,
                 steps_[step_].index,
                 steps_[earlier].unit,
                 steps_[step_].unit,
                 earlier_writes,
                 later_writes};
  }

  void read(Place& place, const Location& at) {
    if (place.writer != 0 && place.writer != step_ + 1 && !knows(place.writer - 1))
      report(place.writer - 1, true, false, at);
    place.readers[number(steps_[step_].unit)] = step_ + 1;
  }

  // `row` tells rows of VEC apart; other instructions never read what they write.
  void write(Place& place, const Location& at, std::uint32_t row = 0) {
    if (place.writer == step_ + 1) return report(step_, true, true, at);  // twice within one instruction
    if (place.writer != 0 && !knows(place.writer - 1) && !unit_orders_writes(place.writer - 1))
      report(place.writer - 1, true, true, at);
    for (std::uint32_t& reader : place.readers) {
      if (reader != 0 && reader != step_ + 1 && !knows(reader - 1) && !unit_orders_writes(reader - 1))
        report(reader - 1, false, true, at);
      reader = 0;
    }
    place.writer = step_ + 1;
    place.row = row;
  }

  // --- places ------------------------------------------------------------------------------------------------------
  void read_line(std::uint64_t line) { read(buffer_[line], {Storage::unified_buffer, line}); }
  void write_line(std::uint64_t line, std::uint32_t row = 0) {
    write(buffer_[line], {Storage::unified_buffer, line}, row);
  }
  void read_accumulators(std::uint64_t row, std::uint32_t first_group, std::uint32_t groups) {
    for (std::uint32_t g = 0; g < groups; ++g)
      read(accumulators_[row * kLaneGroups + first_group + g], {Storage::accumulators, row});
  }

  // --- what each instruction touches (docs/design.md, section 4) -----------------------------------------------------
  template <typename F>
  void each_place(const Pattern& p, F f) {
    for (std::uint64_t i3 = 0; i3 < p.count[3]; ++i3)
      for (std::uint64_t i2 = 0; i2 < p.count[2]; ++i2)
        for (std::uint64_t i1 = 0; i1 < p.count[1] && !race_; ++i1)
          f(p.memory_line + i1 * p.memory_stride[1] + i2 * p.memory_stride[2] + i3 * p.memory_stride[3],
            p.buffer_line + i1 * p.buffer_stride[1] + i2 * p.buffer_stride[2] + i3 * p.buffer_stride[3]);
  }

  void visit(const LoadOperation& load) {
    each_place(load.pattern, [&](std::uint64_t memory, std::uint64_t line) {
      for (std::uint32_t i0 = 0; i0 < load.pattern.count[0]; ++i0) {
        if (!load.fill) read(memory_[slots_[load.slot] + memory + i0], {Storage::memory, memory + i0, load.slot});
        write_line(line + i0);
      }
    });
  }

  void visit(const StoreOperation& store) {
    each_place(store.pattern, [&](std::uint64_t memory, std::uint64_t line) {
      for (std::uint32_t i0 = 0; i0 < store.pattern.count[0]; ++i0) {
        if (store.from_accumulators) {
          read_accumulators(line, i0 * kLaneGroups / 2, kLaneGroups / 2);
        } else {
          read_line(line + i0);
        }
        write(memory_[slots_[store.slot] + memory + i0], {Storage::memory, memory + i0, store.slot});
      }
    });
  }

  void visit(const isa::Wload& wload) {
    for (std::uint32_t pass = 0; pass < wload.passes; ++pass) {
      const std::uint64_t base = wload.ub_line + std::uint64_t{pass} * wload.pass_stride;
      const std::uint32_t valid_k = pass + 1 == wload.passes ? wload.k_tail : kLanes;
      const std::uint32_t count = wload.transpose != 0 ? wload.cols : valid_k;
      const std::uint32_t wide = wload.transpose != 0 ? 1 : (8 * wload.lane_group + wload.cols + kLanes - 1) / kLanes;
      for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t part = 0; part < wide; ++part) read_line(base + std::uint64_t{i} * wload.row_stride + part);
    }
  }

  void visit(const isa::Matmul& matmul) {
    for (std::uint32_t pass = 0; pass < matmul.passes; ++pass) {
      const std::uint64_t base = matmul.ub_line + std::uint64_t{pass} * matmul.pass_stride;
      const std::uint32_t valid_k = pass + 1 == matmul.passes ? matmul.k_tail : kLanes;
      const std::uint32_t count = matmul.transpose != 0 ? valid_k : matmul.rows;
      const std::uint32_t wide = matmul.transpose != 0 ? (matmul.rows + kLanes - 1) / kLanes : 1;
      for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t part = 0; part < wide; ++part) read_line(base + std::uint64_t{i} * matmul.row_stride + part);
    }
    const std::uint32_t halves = std::max(config_.cols / kLanes, 1U);
    const std::uint32_t groups = std::min(config_.cols, kLanes) / 8;
    for (std::uint32_t half = 0; half < halves; ++half)
      for (std::uint32_t i = 0; i < matmul.rows; ++i) {
        const std::uint64_t row = std::uint64_t{half} * config_.acc_rows + matmul.acc_row + i;
        for (std::uint32_t g = 0; g < groups; ++g)
          write(accumulators_[row * kLaneGroups + matmul.lane_group + g], {Storage::accumulators, row});
      }
  }

  void visit(const VectorOperation& op) {
    for (std::uint32_t i = 0; i < op.vec.rows; ++i) {
      read_operand(static_cast<unsigned>(op.vec.a_kind), op.vec.a_line + std::uint64_t{i} * op.vec.a_stride);
      read_operand(static_cast<unsigned>(op.vec.b_kind), op.vec.b_line + std::uint64_t{i} * op.vec.b_stride);
    }
    for (std::uint32_t i = 0; i < op.rows_written(); ++i) {
      const std::uint64_t line = op.vec.d_line + std::uint64_t{i} * op.vec.d_stride;
      write_line(line, i);
      if (op.vec.d_kind == isa::Vec::DKind::fp32) write_line(line + 1, i);
      if (op.vop.copy != 0) write_line(op.vop.copy_line + std::uint64_t{i} * op.vop.copy_stride, i);
    }
    if (op.row_sum()) return;  // everything is read before the one row is written
    check_in_place(op, static_cast<unsigned>(op.vec.a_kind), op.vec.a_line, op.vec.a_stride);
    check_in_place(op, static_cast<unsigned>(op.vec.b_kind), op.vec.b_line, op.vec.b_stride);
  }

  // Kinds of operands a and b have the same numbers: 0 nothing, 1 accumulators, 2 bf16, 3 fp32.
  static constexpr unsigned kAccumulators = 1;
  static constexpr unsigned kBf16 = 2;
  static constexpr unsigned kFp32 = 3;

  void read_operand(unsigned kind, std::uint64_t line) {
    if (kind == kAccumulators) read_accumulators(line, 0, kLaneGroups);
    if (kind == kBf16 || kind == kFp32) read_line(line);
    if (kind == kFp32) read_line(line + 1);
  }

  // What this VEC wrote may be read by an earlier row, or in place by the same one.
  void check_in_place(const VectorOperation& op, unsigned kind, std::uint64_t first, std::uint64_t stride) {
    if (kind != kBf16 && kind != kFp32) return;
    const auto same = [&](unsigned other_kind, std::uint64_t line, std::uint64_t other_stride) {
      return kind == other_kind && line == first && (stride == other_stride || op.vec.rows == 1);
    };
    const bool in_place =
        same(op.vec.d_kind == isa::Vec::DKind::fp32 ? kFp32 : kBf16, op.vec.d_line, op.vec.d_stride) ||
        (op.vop.copy != 0 && same(kBf16, op.vop.copy_line, op.vop.copy_stride));
    for (std::uint32_t i = 0; i < op.vec.rows; ++i)
      for (std::uint32_t half = 0; half < (kind == kFp32 ? 2U : 1U); ++half) {
        const std::uint64_t line = first + i * stride + half;
        const Place& place = buffer_[line];
        if (place.writer != step_ + 1 || place.row > i || (place.row == i && in_place)) continue;
        report(step_, true, false, {Storage::unified_buffer, line});
      }
  }

  const config::Config& config_;
  std::span<const Step> steps_;
  const SlotBases& slots_;
  Clocks clocks_;
  std::vector<Place> buffer_;
  std::vector<Place> accumulators_;
  Pages memory_;
  std::uint32_t step_ = 0;
  std::optional<Race> race_;
};

std::string described(std::uint32_t index, isa::Unit unit, bool writes) {
  return "instruction " + std::to_string(index) + " (" + std::string(isa::to_string(unit)) + ") " +
         (writes ? "writes" : "reads");
}

}  // namespace

std::string Race::message() const {
  static constexpr const char* kNames[] = {"line ", "accumulator row ", "line "};
  std::string place = kNames[static_cast<unsigned>(storage)] + std::to_string(line);
  if (storage == Storage::unified_buffer) place += " of the unified buffer";
  if (storage == Storage::memory) place += " of slot " + std::to_string(slot);
  if (earlier == later) {
    return "race: instruction " + std::to_string(later) + " (" + std::string(isa::to_string(later_unit)) + ") " +
           (later_writes ? "writes " + place + " twice" : "reads " + place + " after another of its rows wrote it") +
           "; change its lines or strides";
  }
  return "race: " + described(later, later_unit, later_writes) + " " + place + ", which " +
         described(earlier, earlier_unit, earlier_writes) + " without an order between them; it needs a token from " +
         std::string(isa::to_string(earlier_unit)) + " to " + std::string(isa::to_string(later_unit)) +
         " posted by instruction " + std::to_string(earlier) + " or a later one of its unit";
}

std::optional<Race> find_race(const config::Config& config, std::span<const Step> steps, const SlotBases& slots) {
  return Detector(config, steps, slots).run();
}

}  // namespace heddle::sim
