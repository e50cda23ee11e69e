#include "host/compiler/token_placer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>

namespace heddle::compiler {
namespace {

constexpr std::size_t kUnits = isa::kUnitCount;
constexpr std::int32_t kNever = -1;
constexpr auto kMxu = static_cast<std::size_t>(isa::Unit::mxu);
constexpr auto kVector = static_cast<std::size_t>(isa::Unit::vector);

// Index of the latest instruction of each unit that is known to be complete.
using Clock = std::array<std::int32_t, kUnits>;

constexpr Clock never() {
  Clock clock{};
  clock.fill(kNever);
  return clock;
}

// What happened last to one line.
struct History {
  std::int32_t writer = kNever;
  Clock readers = never();  // since that write
};

// Histories of one space, in pages that exist once touched.
class SpaceHistory {
 public:
  History& at(std::uint64_t line) {
    const std::uint64_t page = line / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (!pages_[page]) pages_[page] = std::make_unique<Page>();
    return (*pages_[page])[line % kPage];
  }

 private:
  static constexpr std::uint64_t kPage = 1024;
  using Page = std::array<History, kPage>;
  std::vector<std::unique_ptr<Page>> pages_;
};

// One token: the instruction that posts it and the one that waits for it.
struct Token {
  std::int32_t post;
  std::int32_t wait;
};

class Placer {
 public:
  Placer(std::span<Operation> operations, const Machine& machine) : operations_(operations), machine_(machine) {
    known_.fill(never());
    at_completion_.reserve(operations.size());
    unit_.reserve(operations.size());
    for (const Operation& o : operations) unit_.push_back(static_cast<std::uint8_t>(unit_of(o.instruction)));
    find_stored_slots();
  }

  void run() {
    for (std::size_t i = 0; i < operations_.size(); ++i) visit(static_cast<std::int32_t>(i));
    for (std::size_t from = 0; from < kUnits; ++from)
      for (std::size_t to = 0; to < kUnits; ++to) {
        merge_surplus(tokens_[from][to]);
        write_fields(from, to);
      }
  }

 private:
  // Slots that no instruction stores to need no history.
  void find_stored_slots() {
    tracked_.fill(false);
    tracked_[kUnifiedBuffer] = tracked_[kAccumulators] = true;
    for (const Operation& o : operations_)
      if (const auto* store = std::get_if<isa::Store>(&o.instruction)) tracked_[kFirstSlot + store->slot] = true;
  }

  void visit(std::int32_t index) {
    const std::size_t unit = unit_[index];
    const auto patterns = footprint(operations_[index], machine_);
    Clock need = never();
    for (const Pattern& pattern : patterns)
      if (tracked_[pattern.space]) collect(pattern, unit, need);
    satisfy(index, unit, need);
    for (const Pattern& pattern : patterns)
      if (tracked_[pattern.space] && !pattern.write) note_read(pattern, unit, index);
    for (const Pattern& pattern : patterns)
      if (tracked_[pattern.space] && pattern.write) note_write(pattern, index);
    Clock completion = known_[unit];
    completion[unit] = index;
    at_completion_.push_back(completion);
  }

  void collect(const Pattern& pattern, std::size_t unit, Clock& need) {
    SpaceHistory& space = spaces_[pattern.space];
    pattern.for_each([&](std::uint64_t line) {
      const History& history = space.at(line);
      if (history.writer != kNever) {
        const std::size_t writer_unit = unit_[history.writer];
        if (!ordered_within(unit, writer_unit, pattern.write))
          need[writer_unit] = std::max(need[writer_unit], history.writer);
      }
      if (!pattern.write) return;
      for (std::size_t reader = 0; reader < kUnits; ++reader)
        if (reader != unit)
          need[reader] = std::max(need[reader], history.readers[reader]);
        else if (!reads_before_writes(unit))
          need[reader] = std::max(need[reader], history.readers[reader]);
    });
  }

  // Is an access after a write of the same unit in order without a token?
  static bool ordered_within(std::size_t unit, std::size_t writer_unit, bool is_write) {
    if (unit != writer_unit) return false;
    return unit == kMxu || (unit == kVector && is_write);
  }
  // Is a write after a read of the same unit in order without a token?
  static bool reads_before_writes(std::size_t unit) { return unit == kMxu || unit == kVector; }

  // Makes instruction `index` wait for what it needs and does not know to be complete.
  void satisfy(std::int32_t index, std::size_t unit, Clock need) {
    for (;;) {
      // The latest first: its chain of tokens may cover the others.
      std::size_t from = kUnits;
      for (std::size_t u = 0; u < kUnits; ++u)
        if (need[u] > known_[unit][u] && (from == kUnits || need[u] > need[from])) from = u;
      if (from == kUnits) return;
      tokens_[from][unit].push_back({need[from], index});
      const Clock& learned = at_completion_[need[from]];
      for (std::size_t u = 0; u < kUnits; ++u) known_[unit][u] = std::max(known_[unit][u], learned[u]);
    }
  }

  void note_read(const Pattern& pattern, std::size_t unit, std::int32_t index) {
    SpaceHistory& space = spaces_[pattern.space];
    pattern.for_each([&](std::uint64_t line) { space.at(line).readers[unit] = index; });
  }

  void note_write(const Pattern& pattern, std::int32_t index) {
    SpaceHistory& space = spaces_[pattern.space];
    pattern.for_each([&](std::uint64_t line) { space.at(line) = {index, never()}; });
  }

  // Until at most kTokenLimit tokens are under way at any instruction.
  static void merge_surplus(std::vector<Token>& tokens) {
    std::size_t first = 0;  // the oldest token under way when token `n` is posted
    for (std::size_t n = 0; n < tokens.size(); ++n) {
      while (tokens[first].wait <= tokens[n].post) ++first;
      if (n - first + 1 <= kTokenLimit) continue;
      std::size_t kept = first;
      for (std::size_t i = first; i <= n; i += 2) {
        const std::size_t last = std::min(i + 1, n);
        tokens[kept++] = {tokens[last].post, tokens[i].wait};
      }
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(kept),
                   tokens.begin() + static_cast<std::ptrdiff_t>(n) + 1);
      n = kept - 1;
    }
  }

  void write_fields(std::size_t from, std::size_t to) {
    for (const Token& token : tokens_[from][to]) {
      assert(token.post < token.wait);
      wait_and_post(token.post).second |= 1U << to;
      wait_and_post(token.wait).first |= 1U << from;
    }
  }

  std::pair<std::uint32_t&, std::uint32_t&> wait_and_post(std::int32_t index) {
    return std::visit(
        [](auto& x) -> std::pair<std::uint32_t&, std::uint32_t&> {
          if constexpr (requires { x.wait; }) return {x.wait, x.post};
          assert(false && "only instructions of a unit have tokens");
          throw 0;
        },
        operations_[index].instruction);
  }

  std::span<Operation> operations_;
  const Machine& machine_;
  std::vector<std::uint8_t> unit_;
  std::array<bool, kSpaces> tracked_{};
  std::array<SpaceHistory, kSpaces> spaces_;
  std::array<Clock, kUnits> known_;   // by the unit's latest instruction when it started
  std::vector<Clock> at_completion_;  // by instruction
  std::array<std::array<std::vector<Token>, kUnits>, kUnits> tokens_;
};

}  // namespace

void place_tokens(std::span<Operation> operations, const Machine& machine) {
  for (Operation& o : operations)
    std::visit(
        [](auto& x) {
          if constexpr (requires { x.wait; }) x.wait = x.post = 0;
        },
        o.instruction);
  Placer(operations, machine).run();
}

}  // namespace heddle::compiler
