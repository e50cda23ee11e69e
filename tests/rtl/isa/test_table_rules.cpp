#include <gtest/gtest.h>

#include "Vtable_rules.h"
#include "rtl/isa/assembler.h"
#include "rtl/isa/legality.h"
#include "tests/isa/random_words.h"

namespace heddle::isa {
namespace {

constexpr std::uint64_t kSeed = 3;

bool legal_in_rtl(Vtable_rules& rules, Word word, std::uint32_t cols) {
  rules.word_i[0] = static_cast<std::uint32_t>(word.lo);
  rules.word_i[1] = static_cast<std::uint32_t>(word.lo >> 32);
  rules.word_i[2] = static_cast<std::uint32_t>(word.hi);
  rules.word_i[3] = static_cast<std::uint32_t>(word.hi >> 32);
  rules.cols_i = static_cast<std::uint8_t>(cols);
  rules.eval();
  return rules.legal_o != 0;
}

TEST(IsaPackage, RejectsWhatTheCxxTableRejects) {
  Vtable_rules rules;
  test::Random random(kSeed);
  int legal = 0, illegal = 0;
  for (int i = 0; i < 50000; ++i) {
    const std::uint32_t cols = 8u << test::below(random, 4);
    Word word = test::legal_word(random, 64);
    if (i % 2) word = test::flip_bits(random, word);
    const bool expected = check_table(word, cols) == Error::none;
    (expected ? legal : illegal) += 1;
    ASSERT_EQ(legal_in_rtl(rules, word, cols), expected)
        << disassemble(word) << " with " << cols << " columns, seed " << kSeed << ", case " << i;
  }
  EXPECT_GT(legal, 10000);
  EXPECT_GT(illegal, 5000);
}

}  // namespace
}  // namespace heddle::isa
