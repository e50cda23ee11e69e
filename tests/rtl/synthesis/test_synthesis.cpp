// The synthesis report: that the kernel's units are those of rtl/synthesis/units.toml at the cards' sizes, and how a
// netlist is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "common/error.h"
#include "rtl/synthesis/cores.h"

namespace heddle::synthesis {
namespace {

namespace fs = std::filesystem;

class Synthesis : public testing::Test {
 protected:
  void SetUp() override {
    options.source = HEDDLE_SOURCE_DIR;
    options.generated = HEDDLE_GENERATED_DIR;
    options.work = fs::path(testing::TempDir()) /
                   (std::string("heddle_synthesis_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    options.only = {"none: the kernel only"};
    fs::remove_all(options.work);
    fs::create_directories(options.work);
    plan = load_plan(options.source / "rtl/synthesis/units.toml");
  }
  void TearDown() override { fs::remove_all(options.work); }

  std::string error_of_cores() {
    try {
      synthesise_cores(plan, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }

  Report report_on(const std::string& cells, const std::string& modules = "") {
    const fs::path file = options.work / "netlist.json";
    std::ofstream(file) << R"({"modules": {)" << modules << R"("unit": {"attributes": {"top": "1"},
        "ports": {"a": {"direction": "input", "bits": [2, 3]}, "y": {"direction": "output", "bits": [9]}},
        "netnames": {"a": {"hide_name": 0, "bits": [2, 3]}, "y": {"hide_name": 0, "bits": [9]},
                     "x": {"hide_name": 0, "bits": [4, 5, 6, 7, 8]}}, "cells": {)"
                        << cells << "}}}}";
    return analyse(file, {"box"});
  }

  Options options;
  Plan plan;
};

TEST_F(Synthesis, KernelHoldsEveryUnitOnceAtTheSizeOfTheCard) {
  const Result result = synthesise_cores(plan, options);
  const std::vector<Instance>& instances = result.units.at(0).report.instances;
  EXPECT_EQ(instances.size(), plan.units.size());
  for (const Unit& unit : plan.units)
    EXPECT_EQ(std::ranges::count(instances, unit.top, &Instance::module), 1) << unit.top;
  const auto parameter = [&](const char* module, const char* name) {
    return std::ranges::find(instances, module, &Instance::module)->parameters.at(name);
  };
  ASSERT_EQ(result.cards.size(), plan.cards.size());
  for (const Placed& placed : result.cards) {
    const config::Config& config = placed.config;
    EXPECT_EQ(parameter("matrix_core", "COLS"), config.cols);
    EXPECT_EQ(parameter("matrix_core", "ACC_ROWS"), config.acc_rows);
    EXPECT_EQ(parameter("weight_unit", "COLS"), config.cols);
    EXPECT_EQ(parameter("weight_unit", "TILES"), config.weight_fifo);
    EXPECT_EQ(parameter("unified_buffer", "LINES"), config.ub_lines);
    EXPECT_EQ(parameter("unified_buffer", "BANKS"), config.ub_banks);
    EXPECT_EQ(parameter("unified_buffer", "LINE_READS"), config.axi_ports + 2);
    EXPECT_EQ(parameter("command_processor", "QUEUE_DEPTH"), config.queue_depth);
    EXPECT_EQ(parameter("load_unit", "PORTS"), config.axi_ports);
    EXPECT_EQ(parameter("store_unit", "PORTS"), config.axi_ports);
    EXPECT_EQ(parameter("vector_unit", "LANES"), 32u);
    EXPECT_EQ(parameter("vector_unit", "SFU_LANES"), 4u);
  }
}

TEST_F(Synthesis, ModuleOfTheKernelThatIsNoUnitIsRefused) {
  plan.units.erase(plan.units.begin());
  EXPECT_NE(error_of_cores().find("yosys failed on 'kernel"), std::string::npos) << error_of_cores();
}

TEST_F(Synthesis, UnitThatNoKernelHoldsIsRefused) {
  Unit unit;
  unit.name = "transposer alone";
  unit.top = "transposer";
  unit.sources = {"rtl/mxu/transposer.sv"};
  plan.units.push_back(unit);
  EXPECT_NE(error_of_cores().find("'transposer alone' is in no core"), std::string::npos) << error_of_cores();
}

constexpr const char* kLut = R"({"type": "LUT2", "port_directions": {"I0": "input", "I1": "input", "O": "output"}, )";

TEST_F(Synthesis, LevelsAreLutsAndEntriesIntoCarryChains) {
  const Report report = report_on(std::string(R"("l1": )") + kLut +
                                  R"("connections": {"I0": [2], "I1": [3], "O": [4]}, "parameters": {}},
      "c1": {"type": "CARRY4", "parameters": {}, "port_directions": {"CI": "input", "S": "input", "O": "output", "CO": "output"},
             "connections": {"CI": ["0"], "S": [4], "O": [5], "CO": [6]}},
      "c2": {"type": "CARRY4", "parameters": {}, "port_directions": {"CI": "input", "S": "input", "O": "output"},
             "connections": {"CI": [6], "S": ["0"], "O": [7]}},
      "l2": )" + kLut + R"("connections": {"I0": [7], "I1": [2], "O": [8]}, "parameters": {}},
      "f": {"type": "FDRE", "parameters": {}, "port_directions": {"C": "input", "D": "input", "Q": "output"},
            "connections": {"C": [3], "D": [8], "Q": [9]}})");
  EXPECT_EQ(report.levels(), 3u);
  EXPECT_EQ(report.resources.functions, 2u);
  EXPECT_EQ(report.resources.ff, 1u);
  EXPECT_EQ(report.paths.front().steps.front().net.substr(0, 1), "a");
}

TEST_F(Synthesis, BlackBoxesEndPathsAndTellTheirParameters) {
  const Report report =
      report_on(std::string(R"("l1": )") + kLut + R"("connections": {"I0": [2], "I1": [3], "O": [4]}, "parameters": {}},
      "b": {"type": "box", "port_directions": {"i": "input", "o": "output"}, "connections": {"i": [4], "o": [5]},
            "parameters": {"WIDTH": "00000000000000000000000001000000"}},
      "l2": )" + kLut +
                    R"("connections": {"I0": [5], "I1": [2], "O": [9]}, "parameters": {}})",
                R"("box": {"attributes": {}, "parameter_default_values": {"WIDTH": "00000000000000000000000000000001",
                                                                "DEPTH": "00000000000000000000000000000110"}}, )");
  EXPECT_EQ(report.levels(), 1u);
  ASSERT_EQ(report.instances.size(), 1u);
  EXPECT_EQ(report.instances[0].module, "box");
  EXPECT_EQ(report.instances[0].parameters, (std::map<std::string, std::uint64_t>{{"DEPTH", 6}, {"WIDTH", 64}}));
}

}  // namespace
}  // namespace heddle::synthesis
