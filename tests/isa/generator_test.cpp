#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "common/error.h"
#include "common/files.h"
#include "rtl/isa/generator/table.h"

namespace heddle::isagen {
namespace {

// A table with one instruction whose body is `instruction`.
std::string table_text(const std::string& instruction, const std::string& more = "") {
  return "version = 1\nword_bits = 128\n"
         "[[unit]]\nname = \"load\"\nindex = 0\nmeaning = \"m\"\n"
         "[[error]]\nname = \"none\"\ncode = 0\nmeaning = \"m\"\n"
         "[[counter]]\nname = \"busy\"\nmeaning = \"m\"\n"
         "[[header.field]]\nname = \"opcode\"\nlsb = 0\nbits = 5\nmeaning = \"m\"\n"
         "[[header.field]]\nname = \"wait\"\nlsb = 5\nbits = 1\nmeaning = \"m\"\n"
         "[[instruction]]\nmnemonic = \"LOAD\"\nopcode = 1\nunit = \"load\"\nsync = true\nmeaning = \"m\"\nfield = [" +
         instruction + "]\n" + more;
}

class Isagen : public ::testing::Test {
 protected:
  ~Isagen() override { std::filesystem::remove(path_); }
  Table parse(const std::string& text) {
    write_atomically(path_, text);
    return load(path_.string());
  }
  std::string error_of(const std::string& text) {
    try {
      parse(text);
    } catch (const InputError& error) {
      const std::string what = error.what();
      return what.substr(what.find(": ") + 2);
    }
    return "";
  }
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("heddle_isagen_" + std::to_string(::getpid()) + ".toml");
};

TEST_F(Isagen, ReadsATable) {
  const auto table = parse(table_text(R"({ name = "n", lsb = 6, bits = 4, min = 2, multiple = 2, meaning = "m" })"));
  ASSERT_EQ(table.instructions.size(), 1u);
  const auto& fields = table.instructions[0].fields;
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_TRUE(fields[0].is_units);
  EXPECT_EQ(fields[1].initial, 2u);
  EXPECT_EQ(fields[1].max, 15u);
}

TEST_F(Isagen, RejectsOverlappingFields) {
  EXPECT_EQ(
      error_of(table_text(
          R"({ name = "a", lsb = 6, bits = 4, meaning = "m" }, { name = "b", lsb = 9, bits = 2, meaning = "m" })")),
      "LOAD: the fields 'a' and 'b' overlap at bit 9");
  EXPECT_EQ(error_of(table_text(R"({ name = "a", lsb = 4, bits = 1, meaning = "m" })")),
            "LOAD: the fields 'opcode' and 'a' overlap at bit 4");
}

TEST_F(Isagen, RejectsFieldsBeyondTheWord) {
  EXPECT_EQ(error_of(table_text(R"({ name = "a", lsb = 126, bits = 4, meaning = "m" })")),
            "LOAD, field 'a': its bits 126 to 129 do not fit into a word of 128");
}

TEST_F(Isagen, RejectsBadRanges) {
  EXPECT_EQ(error_of(table_text(R"({ name = "a", lsb = 6, bits = 4, max = 16, meaning = "m" })")),
            "LOAD, field 'a': 'max' has to be an integer from 0 to 15");
  EXPECT_EQ(error_of(table_text(R"({ name = "a", lsb = 6, bits = 4, min = 5, max = 4, meaning = "m" })")),
            "LOAD, field 'a': 'min' is above 'max'");
  EXPECT_EQ(error_of(table_text(R"({ name = "a", lsb = 6, bits = 4, min = 5, max = 7, multiple = 4, meaning = "m" })")),
            "LOAD, field 'a': no value is legal");
  EXPECT_EQ(error_of(table_text(R"({ name = "a", lsb = 6, bits = 4, max = "rows", meaning = "m" })")),
            "LOAD, field 'a': 'max' has to be an integer or \"cols\"");
  EXPECT_EQ(error_of(table_text(R"({ name = "a", lsb = 6, bits = 1, values = ["x", "y", "z"], meaning = "m" })")),
            "LOAD, field 'a': 3 values do not fit into 1 bits");
}

TEST_F(Isagen, RejectsDuplicates) {
  const std::string second =
      "[[instruction]]\nmnemonic = \"STORE\"\nopcode = 1\nunit = \"load\"\nsync = true\nmeaning = \"m\"\n";
  EXPECT_EQ(error_of(table_text("", second)), "LOAD and STORE have the same opcode 1");
  EXPECT_EQ(
      error_of(table_text(
          R"({ name = "a", lsb = 6, bits = 1, meaning = "m" }, { name = "a", lsb = 9, bits = 1, meaning = "m" })")),
      "LOAD: the field 'a' appears twice");
  EXPECT_EQ(error_of(table_text(R"({ name = "a", lsb = 6, bits = 1, values = ["x", "x"], meaning = "m" })")),
            "LOAD, field 'a': the value 'x' appears twice");
}

TEST_F(Isagen, RejectsUnknownKeysUnitsAndPrefixes) {
  EXPECT_EQ(error_of(table_text(R"({ name = "a", lsb = 6, bits = 1, minimum = 1, meaning = "m" })")),
            "LOAD, field 'a': unknown key 'minimum'");
  EXPECT_EQ(error_of(table_text(
                "", "[[instruction]]\nmnemonic = \"P\"\nopcode = 2\nunit = \"gpu\"\nsync = true\nmeaning = \"m\"\n")),
            "P: there is no unit 'gpu'");
  EXPECT_EQ(
      error_of(table_text(
          "", "[[instruction]]\nmnemonic = \"P\"\nopcode = 2\nunit = \"none\"\nprefix = [\"FLY\"]\nmeaning = \"m\"\n")),
      "P is a prefix of FLY, which does not exist");
  EXPECT_NE(error_of("version = ").find("rror"), std::string::npos);
}

TEST_F(Isagen, RejectsNamesThatCollideInSystemVerilog) {
  const auto table = parse(table_text(
      R"({ name = "a", lsb = 6, bits = 1, values = ["b_w"], meaning = "m" }, { name = "a_b", lsb = 7, bits = 1, meaning = "m" })"));
  EXPECT_THROW(emit_package(table), InputError);
}

TEST(IsaPage, CommittedPageIsUpToDate) {
  const std::string root = HEDDLE_SOURCE_DIR;
  EXPECT_EQ(read_text(root + "/docs/isa.md"), emit_page(load(root + "/rtl/isa/isa.toml")))
      << "copy docs/isa.md from the build folder's generated/docs/";
}

}  // namespace
}  // namespace heddle::isagen
