#include "host/compiler/program_builder.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "common/memory.h"
#include "host/compiler/token_placer.h"

namespace heddle::compiler {
namespace {

constexpr std::size_t kPlacerBytes = 64;  // what place_tokens keeps of each instruction, generously

void note_slots(const Operation& operation, const Machine& machine, Program& program) {
  for (const Pattern& pattern : footprint(operation, machine)) {
    if (pattern.space < kFirstSlot) continue;
    std::uint64_t& lines = program.slot_lines[pattern.space - kFirstSlot];
    lines = std::max(lines, pattern.last() + 1);
  }
}

}  // namespace

void ProgramBuilder::load(const isa::Load& load, const std::optional<isa::Dims>& dims) {
  add({{load, dims}, std::nullopt});
}

void ProgramBuilder::store(const isa::Store& store, const std::optional<isa::Dims>& dims) {
  add({{store, dims}, std::nullopt});
}

void ProgramBuilder::multiply(const isa::Wload& wload, isa::Matmul matmul) {
  assert(!to_background_ && "a WLOAD and its MATMUL have to stay together");
  matmul.passes = wload.passes;
  matmul.k_tail = wload.k_tail;
  add({{wload, std::nullopt}, std::nullopt});
  add({{matmul, std::nullopt}, std::nullopt});
}

void ProgramBuilder::vec(const isa::Vec& vec, const std::optional<isa::Vop>& vop,
                         const std::optional<Constant>& constant) {
  add({{vec, vop}, constant});
}

void ProgramBuilder::add(Item item) {
  if (to_background_)
    background_.push_back(std::move(item));
  else
    append(std::move(item));
}

// Programs of huge products may take more memory than their matrices: it is asked for as the program grows.
void ProgramBuilder::append(Item item) {
  constexpr std::size_t kBytesEach = sizeof(Item) + sizeof(Operation) + sizeof(isa::Word) + kPlacerBytes;
  if (items_.size() == items_.capacity()) {
    const std::size_t room = std::max<std::size_t>(2 * items_.size(), 64);
    require_memory(room * kBytesEach, "the program takes up to");
    items_.reserve(room);
  }
  items_.push_back(std::move(item));
}

void ProgramBuilder::in_background(const std::function<void()>& work) {
  to_background_ = true;
  work();
  to_background_ = false;
}

void ProgramBuilder::weave(std::size_t count) {
  for (; count > 0 && !background_.empty(); --count) {
    append(std::move(background_.front()));
    background_.pop_front();
  }
}

Program ProgramBuilder::finish() {
  weave(background_.size());
  std::vector<Operation> operations;
  operations.reserve(items_.size());
  for (Item& item : items_) operations.push_back(std::move(item.operation));
  place_tokens(operations, machine_);
  Program program;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    note_slots(operation, machine_, program);
    if (items_[i].constant)
      program.patches.push_back({program.words.size(), std::get<isa::Vop>(*operation.prefix), *items_[i].constant});
    if (operation.prefix) program.words.push_back(isa::encode(*operation.prefix));
    program.words.push_back(isa::encode(operation.instruction));
  }
  program.words.push_back(isa::encode(isa::Halt{}));
  items_.clear();
  return program;
}

}  // namespace heddle::compiler
