// Collects instructions in program order and turns them into a program: places tokens, encodes, ends with HALT.
#pragma once

#include <optional>
#include <vector>

#include "host/compiler/program.h"

namespace heddle::compiler {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const Machine& machine) : machine_(machine) {}
  const Machine& machine() const { return machine_; }

  void load(const isa::Load& load, const std::optional<isa::Dims>& dims = {});
  void store(const isa::Store& store, const std::optional<isa::Dims>& dims = {});
  // The two take passes and precision from the WLOAD.
  void multiply(const isa::Wload& wload, isa::Matmul matmul);
  void vec(const isa::Vec& vec, const std::optional<isa::Vop>& vop = {}, const std::optional<Constant>& constant = {});

  // The builder is empty afterwards.
  Program finish();

 private:
  void add(const isa::Instruction& instruction, std::optional<isa::Instruction> prefix);

  Machine machine_;
  std::vector<Operation> operations_;
  struct NamedConstant {
    std::size_t operation;
    Constant constant;
  };
  std::vector<NamedConstant> constants_;
};

}  // namespace heddle::compiler
