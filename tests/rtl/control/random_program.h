// Random programs for the dispatcher: legal ones that go to the limits of every range, and corrupted ones.
#pragma once

#include <vector>

#include "tests/isa/random_words.h"
#include "tests/rtl/control/dispatch_model.h"

namespace heddle::test {

class RandomProgram {
 public:
  RandomProgram(isa::test::Random& random, const Sizes& sizes, const SlotLines& slots)
      : random_(random), sizes_(sizes), slots_(slots) {}

  std::vector<isa::Word> legal(unsigned instructions);
  // One planted fault; the result may happen to be legal.
  void corrupt(std::vector<isa::Word>& program);

 private:
  std::uint32_t pick(std::uint64_t count) { return isa::test::below(random_, count); }
  // A number below `limit` that is often one of its ends.
  std::uint32_t edge(std::uint64_t limit);
  // A count whose reach stays small enough now and then and large now and then.
  std::uint32_t count(std::uint32_t max) { return 1 + (pick(3) ? pick(6) : pick(max)); }
  std::uint32_t stride(std::uint32_t max) { return pick(3) ? pick(8) : pick(max); }
  std::pair<std::uint32_t, std::uint32_t> tokens(unsigned unit);
  void transfer(std::vector<isa::Word>& program);
  void matmul(std::vector<isa::Word>& program);
  void vec(std::vector<isa::Word>& program);
  bool fits(const isa::Instruction& instruction, const isa::Dims& dims, const isa::Vop& vop, unsigned slot) const;

  isa::test::Random& random_;
  Sizes sizes_;
  SlotLines slots_;
  int balance_[5][5] = {};
};

}  // namespace heddle::test
