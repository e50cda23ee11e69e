// The scripts for Vitis against stand-ins of its tools: they show that the scripts run and what they ask for, not that
// Vitis does it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/files.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

const char* const kTiming = R"(
------------------------------------------------------------------------------------------------
| Design Timing Summary
| ---------------------
------------------------------------------------------------------------------------------------

    WNS(ns)      TNS(ns)  TNS Failing Endpoints  TNS Total Endpoints      WHS(ns)      THS(ns)  THS Failing Endpoints  THS Total Endpoints     WPWS(ns)     TPWS(ns)  TPWS Failing Endpoints  TPWS Total Endpoints
    -------      -------  ---------------------  -------------------      -------      -------  ---------------------  -------------------     --------     --------  ----------------------  --------------------
      @WNS@        0.000                      0               123456        @WHS@        0.000                      0               123456        0.000        0.000                       0                 54321
)";

const char* const kUtilisation = R"(
+----------------------------+--------+--------+------------+-----------+-------+
|          Site Type         |  Used  |  Fixed | Prohibited | Available | Util% |
+----------------------------+--------+--------+------------+-----------+-------+
| CLB LUTs*                  | 610000 |      0 |          0 |   1728000 | @LUT@ |
| CLB Registers              | 900000 |      0 |          0 |   3456000 | 26.04 |
| Block RAM Tile             |    900 |      0 |          0 |      2688 | 33.48 |
| URAM                       |    512 |      0 |          0 |      1280 | 40.00 |
| DSPs                       |   5120 |      0 |          0 |     12288 | 41.67 |
+----------------------------+--------+--------+------------+-----------+-------+
)";

// Vivado's commands write what they were called with; unknown ones fail, as in Tcl.
const char* const kVivado = R"(#!/usr/bin/env tclsh
set argv [lrange $argv [expr {[lsearch $argv -tclargs] + 1}] end]
set log [open calls w]
foreach command {create_project add_files set_property update_compile_order current_fileset close_project package_xo
    ipx::package_project ipx::current_core ipx::get_user_parameters ipx::remove_user_parameter ipx::infer_bus_interface
    ipx::associate_bus_interfaces ipx::create_xgui_files ipx::update_checksums ipx::check_integrity ipx::save_core} {
  namespace eval ipx {}
  proc $command args "puts \$::log \[concat $command \$args\]; return [string map {:: _} $command]"
}
proc ipx::get_user_parameters args { return {COLS UB_LINES} }
proc get_property {what of} { return $of }
source package_kernel.tcl
close $log
close [open [lindex $argv 2] w]
)";

class Flow : public testing::Test {
 protected:
  Flow() : folder(fs::temp_directory_path() / ("heddle_flow_" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
    fs::create_directories(folder / "tools");
    fs::copy(fs::path(HEDDLE_CARD_FOLDERS) / "u250", folder / "card", fs::copy_options::recursive);
    tool("vivado", kVivado);
    vitis("v2022.2");
    tool("platforminfo", "#!/bin/sh\n[ \"$2\" = xilinx_u250_gen3x16_xdma_4_1_202210_1 ]\n");
    tool("xclbinutil", "#!/bin/sh\necho \"$@\" > xclbinutil.calls\nfor last; do :; done\ncp identity.json \"$last\"\n");
    reports("0.012", "0.005", "35.30");
  }
  ~Flow() override { fs::remove_all(folder); }

  void tool(const std::string& name, const std::string& text) {
    std::ofstream(folder / "tools" / name) << text;
    fs::permissions(folder / "tools" / name, fs::perms::owner_all);
  }
  void vitis(const std::string& version) {
    tool("v++",
         "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '****** v++ " + version +
             " (64-bit)'; exit; fi\necho \"$@\" > v++.calls\nmkdir -p linked/reports && cp ../*.rpt linked/reports\n"
             "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && : > \"$2\"; shift; done\n");
  }
  void reports(const std::string& setup, const std::string& hold, const std::string& luts) {
    const auto fill = [](std::string text, const std::string& key, const std::string& value) {
      if (const auto at = text.find(key); at != std::string::npos) text.replace(at, key.size(), value);
      return text;
    };
    std::ofstream(folder / "x_timing_summary_postroute_routed.rpt")
        << fill(fill(kTiming, "@WNS@", setup), "@WHS@", hold);
    std::ofstream(folder / "full_util_routed.rpt") << fill(kUtilisation, "@LUT@", luts);
  }
  // The exit code of make; its output is in `said`.
  int make(const std::string& arguments, bool tools = true) {
    const std::string path = tools ? "PATH='" + (folder / "tools").string() + "':$PATH " : "";
    const int status = std::system(
        ("cd '" + (folder / "card").string() + "' && " + path + "make " + arguments + " >../said 2>&1").c_str());
    return WEXITSTATUS(status);
  }
  std::string content(const fs::path& path) { return read_text(folder / path); }

  fs::path folder;
};

TEST_F(Flow, BuildsChecksAndInstalls) {
  ASSERT_EQ(make("install DEST=../installed"), 0) << content("said");
  EXPECT_TRUE(fs::exists(folder / "installed/cards/u250.xclbin"));
  const std::string link = content("card/v++.calls");
  for (const char* part : {"--link", "--config link.cfg", "--kernel_frequency 300", "heddle_top.xo"})
    EXPECT_NE(link.find(part), std::string::npos) << link;
  EXPECT_NE(content("card/xclbinutil.calls").find("USER_METADATA:RAW:identity.json"), std::string::npos);
}

TEST_F(Flow, PackagingAddsEverySourceAndClocksEveryInterface) {
  ASSERT_EQ(make("xo"), 0) << content("said");
  const std::string calls = content("card/calls");
  for (const char* call :
       {"create_project -force kernel", "-part xcu250-figd2104-2L-e", "rtl/core/heddle_top.sv",
        "rtl/u250/heddle_config_pkg.sv", "set_property top heddle_top", "-busif m_axi_prog -clock ap_clk",
        "-busif m_axi_gmem0 -clock ap_clk", "-busif m_axi_gmem3 -clock ap_clk", "-busif s_axi_control -clock ap_clk",
        "-reset ap_rst_n", "ipx::remove_user_parameter COLS", "ipx::check_integrity -kernel",
        "package_xo -force -xo_path heddle_top.xo -kernel_name heddle_top", "-kernel_xml kernel.xml"})
    EXPECT_NE(calls.find(call), std::string::npos) << call << "\n" << calls;
}

TEST_F(Flow, ToolsThatAreMissingOrOldAreNamedAtOnce) {
  EXPECT_NE(make("tools", false), 0);
  EXPECT_NE(content("said").find("vivado is not there"), std::string::npos) << content("said");
  vitis("v2021.2");
  EXPECT_NE(make("tools"), 0);
  EXPECT_NE(content("said").find("2022.1 or later is needed"), std::string::npos) << content("said");
  vitis("v2023.1");
  EXPECT_EQ(make("tools"), 0) << content("said");
  EXPECT_NE(make("tools PLATFORM=xilinx_u50"), 0);
  EXPECT_NE(content("said").find("xilinx_u50 is not installed"), std::string::npos) << content("said");
}

TEST_F(Flow, XclbinThatMissesTimingIsNotMade) {
  reports("-0.101", "0.005", "35.30");
  EXPECT_NE(make("xclbin"), 0);
  EXPECT_NE(content("said").find("timing is not met"), std::string::npos) << content("said");
  EXPECT_FALSE(fs::exists(folder / "card/u250.xclbin"));
  fs::remove_all(folder / "card/linked");
  reports("0.000", "-0.001", "35.30");
  EXPECT_NE(make("xclbin"), 0) << "hold";
  fs::remove_all(folder / "card/linked");
  reports("0.000", "0.000", "35.30");
  EXPECT_EQ(make("xclbin"), 0) << content("said");
}

TEST_F(Flow, ReportsThatSayNothingAreNoSuccess) {
  ASSERT_EQ(make("xclbin"), 0) << content("said");
  const fs::path reports_folder = folder / "card/linked/reports";
  std::ofstream(reports_folder / "full_util_routed.rpt") << "nothing\n";
  EXPECT_NE(make("check"), 0);
  EXPECT_NE(content("said").find("0 of 5 resources"), std::string::npos) << content("said");
  std::ofstream(reports_folder / "x_timing_summary_postroute_routed.rpt") << "Design Timing Summary\n";
  EXPECT_NE(make("check"), 0);
  fs::remove_all(reports_folder);
  EXPECT_NE(make("check"), 0);
}

}  // namespace
}  // namespace heddle::test
