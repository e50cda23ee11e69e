// Collects instructions in program order and turns them into a program: places tokens, encodes, ends with HALT.
#pragma once

#include <deque>
#include <functional>
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

  // What `work` emits is kept back, in its order, until `weave` puts it between other instructions. For work that
  // nothing in the program waits for: it fills gaps of its unit.
  void in_background(const std::function<void()>& work);
  // Emits the next `count` instructions of the background, or all there are.
  void weave(std::size_t count);
  bool background_is_empty() const { return background_.empty(); }

  // Ends with what is left of the background. The builder is empty afterwards.
  Program finish();

 private:
  struct Item {
    Operation operation;
    std::optional<Constant> constant;  // of its prefix
  };
  void add(Item item);
  void append(Item item);

  Machine machine_;
  std::vector<Item> items_;
  std::deque<Item> background_;
  bool to_background_ = false;
};

}  // namespace heddle::compiler
