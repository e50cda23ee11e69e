// The command processor between a host, a fetch unit and five units that only pretend to work.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "sim/verilated/pins.h"
#include "tests/rtl/control/bench.h"
#include "tests/rtl/control/random_program.h"

namespace heddle::test {

using Random = isa::test::Random;

// How the pretended surroundings behave.
struct Weather {
  unsigned word_stall = 0, command_stall = 0, refuse = 0;  // per cent
  unsigned longest = 1;                                    // cycles of an instruction
  int slow_unit = -1;                                      // an instruction of this unit takes 3000 cycles
  int hang_unit = -1;                                      // this unit never completes anything
  std::vector<std::uint32_t> failing;                      // LOADs and STOREs at these indices end with an AXI error
  std::optional<std::uint32_t> fetch_error;
};

struct Event {
  std::uint64_t cycle;
  Dispatched what;  // as the unit saw it; index as the model numbers it
};

struct Outcome {
  bool finished = false;
  isa::Error error{};
  std::uint32_t index = 0;
  std::uint64_t cycles = 0;  // of the bench, from start to done
  std::uint64_t done_cycle = 0;
  std::vector<Event> started[5], completed[5];
  std::vector<std::uint64_t> leftovers;  // completions of what an earlier program left behind
};

template <typename Top>
class ProcessorBench {
 public:
  ProcessorBench(const Sizes& machine, std::uint64_t seed) : sizes(machine), random(seed) {
    for (auto& lines : slots) lines = 1 + isa::test::below(random, pick_limit());
    slots[isa::test::below(random, 16)] = 1u << 31;
    top.rst_ni = 0;
    for (int i = 0; i < 3; ++i) clock();
    top.rst_ni = 1;
  }

  // Runs a program; gives up after `limit` cycles.
  Outcome run(const std::vector<isa::Word>& program, const Weather& weather, std::uint64_t limit = 200000) {
    Outcome outcome;
    const std::uint64_t begin = now;
    ++runs;
    std::size_t next = 0;
    bool fetching = false, offered = false;
    top.start_i = 1;
    for (; now - begin < limit; ++now) {
      // Fetch: a word, once offered, stays.
      if (fetching && !offered) offered = !chance(weather.word_stall);
      top.word_valid_i = fetching && offered && next <= program.size();
      top.word_end_i = next == program.size();
      top.word_error_i = weather.fetch_error && next >= *weather.fetch_error && next < program.size();
      const isa::Word word = next < program.size() ? program[next] : isa::Word{random(), random()};
      sim::set(top.word_i, 0, 64, word.lo);
      sim::set(top.word_i, 64, 64, word.hi);
      top.fetch_beat_i = 0;
      top.fetch_idle_i = !fetching;
      top.watchdog_i = watchdog;
      drive_units(weather, outcome);
      top.eval();
      top.slot_lines_i = slots[top.slot_o];
      top.eval();

      if (top.done_o) {
        outcome.finished = true;
        outcome.error = isa::Error(top.error_o);
        outcome.index = top.error_index_o;
        outcome.done_cycle = now;
        outcome.cycles = now - begin;
        top.start_i = 0;
      }
      if (top.word_valid_i && top.word_ready_o) {
        ++next;
        offered = false;
      }
      const bool start = top.fetch_start_o, stop = top.fetch_stop_o;
      accept_commands(outcome);
      const bool reset_units = top.units_reset_o;
      clock();
      if (reset_units)
        for (unsigned u = 1; u <= 3; ++u) units[u] = {};
      if (reset_units) tiles = 0;
      if (start) {
        fetching = true;
        next = 0;
        offered = false;
      }
      if (stop) fetching = false;
      if (outcome.finished) break;
    }
    return outcome;
  }

  std::uint64_t counter(unsigned index) {
    top.counter_read_i = 1;
    top.counter_index_i = index;
    clock();
    top.counter_read_i = 0;
    clock();
    return top.counter_data_o;
  }

  Top top;
  Sizes sizes;
  SlotLines slots{};
  std::uint32_t watchdog = 5000;
  std::uint64_t now = 0;
  Random random;

 private:
  struct Running {
    Dispatched what;
    unsigned left;
    std::uint32_t tiles;
    unsigned run;
  };
  struct Unit {
    std::deque<Running> running;
  };

  static std::uint64_t pick_limit() { return 1 << 20; }
  bool chance(unsigned percent) { return percent && isa::test::below(random, 100) < percent; }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  // States, completions and readiness of this cycle. WLOAD needs room for its tiles, MATMUL takes them.
  void drive_units(const Weather& weather, Outcome& outcome) {
    unsigned done = 0, states = 0, ready = 0, stall = 0;
    top.load_error_i = top.store_error_i = 0;
    for (unsigned u = 0; u < 5; ++u) {
      Unit& unit = units[u];
      if (!chance(weather.refuse) && unit.running.size() < (u == 0 || u == 4 ? 17 : 2)) ready |= 1u << u;
      if (chance(weather.command_stall)) stall |= 1u << u;
      if (unit.running.empty()) continue;
      Running& head = unit.running.front();
      const bool hangs = int(u) == weather.hang_unit;
      unsigned state = hangs ? 2 : 1 + chance(20);
      bool finished = false;
      if (!hangs && head.tiles > 0) {
        const bool possible = u == 1 ? tiles < 4 : tiles > 0;
        if (possible) {
          tiles += u == 1 ? 1 : -1;
          --head.tiles;
        } else {
          state = 3;
        }
        finished = head.tiles == 0;
      } else if (!hangs) {
        finished = --head.left == 0;
      }
      states |= state << 2 * u;
      if (finished) {
        done |= 1u << u;
        if (head.run == runs)
          outcome.completed[u].push_back({now, head.what});
        else
          outcome.leftovers.push_back(now);
        for (const auto failing : weather.failing)
          if (failing == head.what.index) (u == 0 ? top.load_error_i : top.store_error_i) = u == 0 || u == 4;
        unit.running.pop_front();
      }
    }
    top.unit_done_i = done;
    top.unit_state_i = states;
    top.cmd_ready_i = ready;
    top.cmd_stall_i = stall;
    longest = weather.longest;
    slow_unit = weather.slow_unit;
  }

  // The model numbers the instruction by its place in the unit's order; the test compares word and prefix.
  void accept_commands(Outcome& outcome) {
    for (unsigned u = 0; u < 5; ++u) {
      if (!(top.cmd_valid_o & top.cmd_ready_i & 1u << u)) continue;
      Dispatched what{};
      what.unit = u;
      what.word = {sim::get(top.cmd_o, u * 128, 64), sim::get(top.cmd_o, u * 128 + 64, 64)};
      what.prefix = {sim::get(top.prefix_o, u * 128, 64), sim::get(top.prefix_o, u * 128 + 64, 64)};
      what.wait = isa::extract(what.word, 5, 5);
      what.post = isa::extract(what.word, 10, 5);
      const std::size_t place = outcome.started[u].size();
      what.index = place < expected[u].size() ? expected[u][place].index : ~0u;
      outcome.started[u].push_back({now, what});
      Running running{what, 1 + isa::test::below(random, longest), 0, runs};
      const auto decoded = isa::decode(what.word);
      if (int(u) == slow_unit) running.left = 3000;
      if (u == 1) running.tiles = std::get<isa::Wload>(*decoded).passes;
      if (u == 2) running.tiles = std::get<isa::Matmul>(*decoded).passes;
      units[u].running.push_back(running);
    }
  }

  Unit units[5];
  int tiles = 0;
  unsigned longest = 1;
  int slow_unit = -1;
  unsigned runs = 0;

 public:
  std::vector<Dispatched> expected[5];  // what the model dispatches, for the indices of injected errors
  bool idle(unsigned u) const { return units[u].running.empty(); }
};

}  // namespace heddle::test
