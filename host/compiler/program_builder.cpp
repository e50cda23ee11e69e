#include "host/compiler/program_builder.h"

#include <algorithm>
#include <utility>

#include "host/compiler/token_placer.h"

namespace heddle::compiler {
namespace {

void note_slots(const Operation& operation, const Machine& machine, Program& program) {
  for (const Pattern& pattern : footprint(operation, machine)) {
    if (pattern.space < kFirstSlot) continue;
    std::uint64_t& lines = program.slot_lines[pattern.space - kFirstSlot];
    lines = std::max(lines, pattern.last() + 1);
  }
}

}  // namespace

void ProgramBuilder::load(const isa::Load& load, const std::optional<isa::Dims>& dims) {
  add(load, dims ? std::optional<isa::Instruction>(*dims) : std::nullopt);
}

void ProgramBuilder::store(const isa::Store& store, const std::optional<isa::Dims>& dims) {
  add(store, dims ? std::optional<isa::Instruction>(*dims) : std::nullopt);
}

void ProgramBuilder::multiply(const isa::Wload& wload, isa::Matmul matmul) {
  matmul.passes = wload.passes;
  matmul.k_tail = wload.k_tail;
  add(wload, std::nullopt);
  add(matmul, std::nullopt);
}

void ProgramBuilder::vec(const isa::Vec& vec, const std::optional<isa::Vop>& vop,
                         const std::optional<Constant>& constant) {
  if (constant) constants_.push_back({operations_.size(), *constant});
  add(vec, vop ? std::optional<isa::Instruction>(*vop) : std::nullopt);
}

void ProgramBuilder::add(const isa::Instruction& instruction, std::optional<isa::Instruction> prefix) {
  operations_.push_back({instruction, std::move(prefix)});
}

Program ProgramBuilder::finish() {
  place_tokens(operations_, machine_);
  Program program;
  auto constant = constants_.begin();
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& operation = operations_[i];
    note_slots(operation, machine_, program);
    if (constant != constants_.end() && constant->operation == i) {
      program.patches.push_back({program.words.size(), std::get<isa::Vop>(*operation.prefix), constant->constant});
      ++constant;
    }
    if (operation.prefix) program.words.push_back(isa::encode(*operation.prefix));
    program.words.push_back(isa::encode(operation.instruction));
  }
  program.words.push_back(isa::encode(isa::Halt{}));
  operations_.clear();
  constants_.clear();
  return program;
}

}  // namespace heddle::compiler
