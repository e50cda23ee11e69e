#include "sim/functional/core.h"

#include <algorithm>
#include <cstdint>

#include "sim/functional/dma.h"
#include "sim/functional/matmul.h"
#include "sim/functional/program_cache.h"
#include "sim/functional/vector_unit.h"
#include "sim/numerics/flush_scope.h"

namespace heddle::sim {
namespace {

// Throws on a processor that lacks what the library was compiled for.
void require_processor() {
#if defined(__AVX2__) && defined(__FMA__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    throw DeviceError("functional device: this processor has no AVX2 and FMA; configure with -DHEDDLE_AVX2=OFF");
#endif
}

SlotLines lines_of(const Slots& slots) {
  SlotLines lines{};
  for (unsigned s = 0; s < kSlots; ++s) lines[s] = static_cast<std::uint32_t>(slots[s].size() / kLineBytes);
  return lines;
}

// Slots apart from each other get fixed places, so that a program is known again when its buffers have moved.
SlotBases bases_of(const Slots& slots) {
  SlotBases fixed{};
  SlotBases real{};
  std::array<unsigned, kSlots> order{};
  for (unsigned s = 0; s < kSlots; ++s) {
    order[s] = s;
    fixed[s] = std::uint64_t{s} << 32;
    real[s] = reinterpret_cast<std::uintptr_t>(slots[s].data()) / kLineBytes;
  }
  const auto used = std::partition(order.begin(), order.end(), [&](unsigned s) { return !slots[s].empty(); });
  std::sort(order.begin(), used, [&](unsigned x, unsigned y) { return slots[x].data() < slots[y].data(); });
  const auto overlap = std::adjacent_find(
      order.begin(), used, [&](unsigned x, unsigned y) { return slots[x].data() + slots[x].size() > slots[y].data(); });
  return order.begin() == used || overlap == used ? fixed : real;
}

}  // namespace

struct Core::State {
  State(const config::Config& config, Options options)
      : buffer(config.ub_lines), accumulators(config), matrix(config.cols), programs(config, options.check_races) {}

  void execute(const LoadOperation& operation, const Slots& slots) { load(operation, slots[operation.slot], buffer); }
  void execute(const StoreOperation& operation, const Slots& slots) {
    store(operation, buffer, accumulators, slots[operation.slot]);
  }
  void execute(const isa::Wload& wload, const Slots&) { matrix.wload(wload); }
  void execute(const isa::Matmul& matmul, const Slots&) { matrix.matmul(matmul, buffer, accumulators); }
  void execute(const VectorOperation& operation, const Slots&) { vector.execute(operation, buffer, accumulators); }

  UnifiedBuffer buffer;
  Accumulators accumulators;
  MatrixUnit matrix;
  VectorUnit vector;
  ProgramCache programs;
};

Core::Core(const config::Config& config, Options options) {
  require_processor();
  state_ = std::make_unique<State>(config, options);
}
Core::~Core() = default;

Outcome Core::run(std::span<const isa::Word> program, const Slots& slots) {
  const KnownProgram& known = state_->programs.get(program, lines_of(slots), bases_of(slots));
  if (known.race) throw RaceError(*known.race);
  const numerics::FlushScope flush;
  for (const Step& step : known.checked.steps)
    std::visit([&](const auto& operation) { state_->execute(operation, slots); }, step.operation);
  return known.checked.outcome;
}

UnifiedBuffer& Core::unified_buffer() { return state_->buffer; }
Accumulators& Core::accumulators() { return state_->accumulators; }

}  // namespace heddle::sim
