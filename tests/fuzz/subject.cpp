#include "tests/fuzz/subject.h"

#include "sim/functional/core.h"
#include "tests/reference/machine.h"

namespace heddle::fuzz {
namespace {

// The functional model says which word HALT is, hardware only that there was no error.
sim::Outcome without_halt_index(sim::Outcome outcome) {
  return outcome.error == isa::Error::none ? sim::Outcome{} : outcome;
}

plain::Memory empty_memory(const sim::SlotLines& slots) {
  plain::Memory memory;
  for (unsigned s = 0; s < sim::kSlots; ++s) memory[s].resize(std::size_t{slots[s]} * sim::kLineBytes);
  return memory;
}

class MemorySubject : public Subject {
 public:
  explicit MemorySubject(const sim::SlotLines& slots) : memory_(empty_memory(slots)) {}
  void write(unsigned slot, std::span<const std::uint8_t> content) override {
    memory_[slot].assign(content.begin(), content.end());
  }
  std::vector<std::uint8_t> read(unsigned slot) override { return memory_[slot]; }

 protected:
  plain::Memory memory_;
};

class FunctionalSubject : public MemorySubject {
 public:
  FunctionalSubject(const config::Config& config, const sim::SlotLines& slots) : MemorySubject(slots), core_(config) {}
  std::string name() const override { return "functional model"; }
  sim::Outcome run(std::span<const isa::Word> program) override {
    sim::Slots slots;
    for (unsigned s = 0; s < sim::kSlots; ++s) slots[s] = std::as_writable_bytes(std::span(memory_[s]));
    return without_halt_index(core_.run(program, slots));
  }

 private:
  sim::Core core_;
};

class PlainSubject : public MemorySubject {
 public:
  PlainSubject(const config::Config& config, const sim::SlotLines& slots)
      : MemorySubject(slots), config_(config), slots_(slots), machine_(config) {}
  std::string name() const override { return "plain reference"; }
  sim::Outcome run(std::span<const isa::Word> program) override {
    const sim::Outcome outcome = sim::check_program(config_, program, slots_).outcome;
    machine_.run(program, outcome.index, memory_);
    return without_halt_index(outcome);
  }

 private:
  config::Config config_;
  sim::SlotLines slots_;
  plain::Machine machine_;
};

}  // namespace

SubjectPtr functional_subject(const config::Config& config, const sim::SlotLines& slots) {
  return std::make_unique<FunctionalSubject>(config, slots);
}

SubjectPtr plain_subject(const config::Config& config, const sim::SlotLines& slots) {
  return std::make_unique<PlainSubject>(config, slots);
}

}  // namespace heddle::fuzz
