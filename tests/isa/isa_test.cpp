#include "rtl/isa/isa.h"

#include <gtest/gtest.h>

#include "rtl/isa/legality.h"
#include "tests/isa/random_words.h"

namespace heddle::isa {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(Isa, EncodesFieldsWhereTheTableSays) {
  // By hand from rtl/isa/isa.toml: opcode 3, wait bit 3 at 8, slot at 15, mem_line at 19, buf_line at 47 across both
  // halves.
  Load load;
  load.wait = 1u << 3;
  load.slot = 5;
  load.mem_line = 0xABCDEF1;
  load.buf_line = 0x3FFFF;
  load.n0 = 0xFFF;
  const std::uint64_t lo = 3ull | 1ull << 8 | 5ull << 15 | 0xABCDEF1ull << 19 | 0x3FFFFull << 47;
  const std::uint64_t hi = 0x3FFFFull >> 17 | 0xFFFull << 1 | 1ull << 13;
  EXPECT_EQ(encode(load), (Word{lo, hi}));
}

TEST(Isa, DecodesWhatItEncodes) {
  test::Random random(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const Word word = test::legal_word(random, 64);
    const auto instruction = decode(word);
    ASSERT_TRUE(instruction);
    EXPECT_EQ(static_cast<std::uint32_t>(opcode(*instruction)), opcode_bits(word));
    ASSERT_EQ(encode(*instruction), word) << "seed " << kSeed << ", case " << i;
  }
}

TEST(Isa, UnknownOpcodesDecodeToNothing) {
  int known = 0;
  for (std::uint32_t code = 0; code < 32; ++code) {
    EXPECT_EQ(decode(Word{code, 0}).has_value(), find(code) != nullptr);
    known += find(code) != nullptr;
  }
  EXPECT_EQ(known, 8);
  EXPECT_FALSE(decode(Word{}));
}

TEST(Isa, InsertReplacesAFieldAcrossBothHalves) {
  const Word ones{~std::uint64_t{0}, ~std::uint64_t{0}};
  const Word word = insert(ones, 60, 10, 0x155);
  EXPECT_EQ(extract(word, 60, 10), 0x155u);
  EXPECT_EQ(extract(word, 28, 32), 0xFFFFFFFFu);
  EXPECT_EQ(extract(word, 70, 32), 0xFFFFFFFFu);
  EXPECT_EQ(extract(insert(ones, 96, 32, 0x12345678u), 96, 32), 0x12345678u);
}

TEST(Legality, AcceptsLimitsAndRejectsWhatIsBeyond) {
  for (const auto& info : table()) {
    Word base = insert({}, kOpcodeLsb, kOpcodeBits, static_cast<std::uint32_t>(info.opcode));
    for (const auto& field : info.fields) base = insert(base, field.lsb, field.bits, field.initial);
    ASSERT_EQ(check_table(base, 8), Error::none) << info.name;
    for (const auto& field : info.fields) {
      for (const std::uint32_t cols : {8u, 64u}) {
        const std::uint64_t full = (std::uint64_t{1} << field.bits) - 1;
        const std::uint32_t max = field.max_is_cols ? cols : field.max;
        const auto with = [&](std::uint64_t v) {
          return check_table(insert(base, field.lsb, field.bits, static_cast<std::uint32_t>(v)), cols);
        };
        EXPECT_EQ(with(field.min), Error::none) << info.name << "." << field.name;
        EXPECT_EQ(with(max), Error::none) << info.name << "." << field.name;
        if (field.min > 0) {
          EXPECT_EQ(with(field.min - 1), Error::illegal_field) << info.name << "." << field.name;
        }
        if (max < full) {
          EXPECT_EQ(with(std::uint64_t{max} + 1), Error::illegal_field) << info.name << "." << field.name;
        }
      }
    }
  }
}

TEST(Legality, RejectsEachReservedBit) {
  for (const auto& info : table()) {
    Word base = insert({}, kOpcodeLsb, kOpcodeBits, static_cast<std::uint32_t>(info.opcode));
    unsigned used = kOpcodeBits;
    for (const auto& field : info.fields) {
      base = insert(base, field.lsb, field.bits, field.initial);
      used += field.bits;
    }
    unsigned reserved = 0;
    for (unsigned bit = 0; bit < 128; ++bit) {
      if (!extract(reserved_bits(info), bit, 1)) continue;
      ++reserved;
      EXPECT_EQ(check_table(insert(base, bit, 1, 1), 64), Error::illegal_field) << info.name << " bit " << bit;
    }
    EXPECT_EQ(reserved, 128 - used) << info.name;
  }
}

TEST(Legality, RejectsUnknownOpcodes) {
  EXPECT_EQ(check_table(Word{}, 64), Error::illegal_opcode);
  EXPECT_EQ(check_table(Word{31, 0}, 64), Error::illegal_opcode);
}

TEST(Isa, NamesErrorsUnitsAndCounters) {
  EXPECT_EQ(to_string(Error::tile_mismatch), "tile_mismatch");
  EXPECT_EQ(to_string(static_cast<Error>(99)), "?");
  EXPECT_EQ(to_string(Unit::none), "none");
  EXPECT_EQ(to_string(Counter::fifo), "fifo");
  EXPECT_NE(meaning(Error::watchdog).find("watchdog"), std::string_view::npos);
}

}  // namespace
}  // namespace heddle::isa
