#include "driver/xrt/board_name.h"

#include <gtest/gtest.h>

#include "common/error.h"
#include "driver/xrt/bitstreams.h"

namespace heddle::test {
namespace {

using driver::parse_board;

TEST(BoardName, EmulatedBoardsAreTheDefault) {
  for (const char* text : {"", "emulated"}) {
    EXPECT_TRUE(parse_board(text).emulated);
    EXPECT_FALSE(parse_board(text).index);
  }
  EXPECT_EQ(parse_board("emulated:3").index, 3u);
  EXPECT_EQ(parse_board("emulated:3").text(), "emulated board 3");
}

TEST(BoardName, CardsHaveAnIndexOrAnAddress) {
  EXPECT_FALSE(parse_board("2").emulated);
  EXPECT_EQ(parse_board("2").index, 2u);
  EXPECT_EQ(parse_board("0000:65:00.1").bdf, "0000:65:00.1");
  EXPECT_EQ(parse_board("65:00.1").text(), "card 65:00.1");
}

TEST(BoardName, AnythingElseIsRefusedWithTheFormsThereAre) {
  for (const char* text : {"emulated:", "emulated:16", "emulated:-1", "emulated:1x", "-1", "1x", "u250", "65:00.8",
                           "0000:65:00", "99999999999"}) {
    try {
      parse_board(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("emulated:"), std::string::npos) << error.what();
    }
  }
}

TEST(BoardName, ShellsAndPlatformsOfABoardAreNamedInManyWays) {
  EXPECT_TRUE(driver::same_board("xilinx_u250_gen3x16_xdma_shell_4_1", "xilinx_u250_gen3x16_xdma_4_1_202210_1"));
  EXPECT_TRUE(driver::same_board("xilinx_u50_gen3x16_xdma_base_5", "xilinx:u50:gen3x16_xdma:5.0"));
  EXPECT_FALSE(driver::same_board("xilinx_u250_gen3x16_xdma_shell_4_1", "xilinx_u200_gen3x16_xdma_2_202110_1"));
  EXPECT_FALSE(driver::same_board("xilinx_u50_gen3x16", "xilinx_u55c_gen3x16"));
  EXPECT_FALSE(driver::same_board("", "xilinx_u250_gen3x16_xdma_4_1_202210_1"));
}

}  // namespace
}  // namespace heddle::test
