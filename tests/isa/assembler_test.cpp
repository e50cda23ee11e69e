#include "rtl/isa/assembler.h"

#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/isa/random_words.h"

namespace heddle::isa {
namespace {

constexpr std::uint64_t kSeed = 20240611;
constexpr int kCases = 20000;

std::string error_of(const std::string& text, std::uint32_t cols = 64) {
  try {
    assemble(text, "p.s", cols);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Word one(const std::string& line) {
  const auto words = assemble(line, "p.s");
  EXPECT_EQ(words.size(), 1u);
  return words.at(0);
}

TEST(Assembler, TranslatesEachKindOfField) {
  Load load;
  load.slot = 1;
  load.buf_line = 64;
  load.n0 = 4;
  load.n1 = 255;
  load.wait = 1u << static_cast<unsigned>(Unit::vector);
  load.post = 1u << static_cast<unsigned>(Unit::wload) | 1u << static_cast<unsigned>(Unit::mxu);
  EXPECT_EQ(one("LOAD slot=1 mem_line=0 buf_line=64 n0=4 n1=0xff wait=vector post=wload,mxu # tile"), encode(load));

  Vop vop;
  vop.mul = Vop::Mul::mask_positive;
  vop.func = Vop::Func::exp;
  vop.lanes = 5;
  vop.imm_m = 0xBF000000u;
  vop.imm_a = 0x7F800000u;
  EXPECT_EQ(one("vop\tfunc=exp mul=mask_positive lanes=0b101 imm_m=-0.5 imm_a=inf"), encode(vop));
}

TEST(Assembler, FieldsLeftOutHaveTheirInitialValue) {
  EXPECT_EQ(one("VOP"), encode(Vop{}));
  EXPECT_EQ(Vop{}.lanes, 32u);
  EXPECT_EQ(one("DIMS"), encode(Dims{}));
  EXPECT_EQ(Dims{}.n2, 1u);
}

TEST(Assembler, SkipsEmptyLinesAndComments) {
  const auto words = assemble("\n  # nothing\r\n\tHALT # end\r\n\n", "p.s");
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words[0], encode(Halt{}));
  EXPECT_TRUE(assemble("", "p.s").empty());
}

TEST(Assembler, ErrorsNameFileLineColumnAndTheMend) {
  EXPECT_EQ(error_of("HALT\nLOAD n0=4 slit=1").substr(0, 40), "p.s:2:11: LOAD has no field 'slit'; its ");
  EXPECT_EQ(error_of("LOAD n0=0"), "p.s:1:9: n0 has to be 1 to 4095, not '0'");
  EXPECT_EQ(error_of("LOAD slot=16"), "p.s:1:11: slot has to be 0 to 15, not '16'");
  EXPECT_EQ(error_of("LOAD slot=99999999999999999999"), "p.s:1:11: slot has to be 0 to 15, not '99999999999999999999'");
  EXPECT_EQ(error_of("LOAD slot="), "p.s:1:11: slot has to be 0 to 15, not ''");
  EXPECT_EQ(error_of("STORE source=host"), "p.s:1:14: source has to be one of ub, acc, not 'host'");
  EXPECT_EQ(error_of("MATMUL wait=mxu,gpu"),
            "p.s:1:17: there is no unit 'gpu'; the units are load, wload, mxu, vector, store");
  EXPECT_EQ(error_of("MATMUL wait=mxu,mxu"), "p.s:1:17: the unit mxu appears twice");
  EXPECT_EQ(error_of("LOAD n0=1 n0=2"), "p.s:1:11: the field n0 appears twice");
  EXPECT_EQ(error_of("LOAD 5"), "p.s:1:6: '5' is not of the form field=value");
  EXPECT_EQ(error_of("HALT wait=mxu"), "p.s:1:6: HALT has no field 'wait'");
  EXPECT_EQ(error_of("VOP imm_m=one").substr(0, 37), "p.s:1:11: 'one' is no fp32 number: wr");
  EXPECT_EQ(error_of("FLY").substr(0, 36), "p.s:1:1: there is no instruction 'FL");
  EXPECT_EQ(error_of(".word 12"), "p.s:1:7: .word needs 0x and 1 to 32 hexadecimal digits");
  EXPECT_EQ(error_of(".word"), "p.s:1:1: .word needs 0x and 1 to 32 hexadecimal digits");
  EXPECT_EQ(error_of(".word 0x1 2"), "p.s:1:11: unexpected '2' after the word");
}

TEST(Assembler, LimitsColumnsToTheConfiguration) {
  EXPECT_EQ(error_of("WLOAD cols=8", 8), "");
  EXPECT_EQ(error_of("WLOAD cols=9", 8), "p.s:1:12: cols has to be 1 to 8, not '9'");
}

TEST(Disassembler, ShowsWhatAPersonWouldWrite) {
  Matmul matmul;
  matmul.rows = 128;
  matmul.passes = 25;
  matmul.accumulate = 1;
  matmul.wait = 0b00010;
  matmul.post = 0b01000;
  EXPECT_EQ(disassemble(encode(matmul)), "MATMUL rows=128 passes=25 accumulate=1 wait=wload post=vector");
  EXPECT_EQ(disassemble(encode(Halt{})), "HALT");
  EXPECT_EQ(disassemble(Word{}), ".word 0x00000000000000000000000000000000");
}

TEST(Disassembler, RoundTripsRandomLegalWords) {
  test::Random random(kSeed);
  for (int i = 0; i < kCases; ++i) {
    const Word word = test::legal_word(random, 64);
    const std::string line = disassemble(word);
    ASSERT_EQ(check_table(word, 64), Error::none) << line;
    ASSERT_FALSE(line.starts_with(".word")) << line;
    ASSERT_EQ(one(line), word) << line << ", seed " << kSeed << ", case " << i;
  }
}

TEST(Disassembler, RoundTripsCorruptedAndRandomWords) {
  test::Random random(kSeed);
  std::vector<Word> words;
  for (int i = 0; i < kCases; ++i) {
    words.push_back(test::flip_bits(random, test::legal_word(random, 64)));
    words.push_back({random(), random()});
  }
  EXPECT_EQ(assemble(disassemble(words), "p.s"), words) << "seed " << kSeed;
}

TEST(Disassembler, KeepsEveryFloatPattern) {
  test::Random random(kSeed);
  for (const std::uint32_t bits :
       {0u, 0x80000000u, 0x7FC00000u, 0xFFFFFFFFu, 0x7F800001u, 0x7F800000u, 0xFF800000u, 1u, 0x807FFFFFu})
    EXPECT_EQ(one(disassemble(encode(Vop{.imm_m = bits}))), encode(Vop{.imm_m = bits})) << bits;
}

TEST(Assembler, RandomTextNeverCrashes) {
  test::Random random(kSeed);
  static constexpr std::string_view kPieces[] = {"LOAD",  "VOP",        ".word",    " ",    "=",    ",",   "0x",
                                                 "slot=", "wait=",      "imm_m=",   "load", "1e99", "-",   "\n",
                                                 "#",     "9999999999", "func=exp", "\xff", "\t",   "n0=4"};
  int accepted = 0;
  for (int i = 0; i < kCases; ++i) {
    std::string text;
    for (std::uint32_t n = test::below(random, 12); n > 0; --n) {
      text += kPieces[test::below(random, std::size(kPieces))];
      if (test::below(random, 4) == 0) text += static_cast<char>(test::below(random, 256));
    }
    try {
      const auto words = assemble(text, "p.s");
      ++accepted;
      EXPECT_EQ(assemble(disassemble(words), "p.s"), words) << text;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, kCases - 100);
}

}  // namespace
}  // namespace heddle::isa
