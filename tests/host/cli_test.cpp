// The heddle program from outside: what it prints, how it ends, what it leaves behind.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/host/idx_files.h"

namespace heddle {
namespace {

using namespace testing_support;
using Json = nlohmann::json;

struct Outcome {
  int code = 0;
  std::string output;
  std::string errors;

  Json last_line() const {
    const std::string text = output.substr(0, output.find_last_not_of('\n') + 1);
    return Json::parse(text.substr(text.rfind('\n') + 1));
  }
};

class Cli : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) { return run_command(std::string(HEDDLE_BINARY) + " " + arguments); }
  Outcome run_command(const std::string& command) {
    const std::string errors = dir_.file("stderr");
    FILE* pipe = popen((command + " 2>" + errors).c_str(), "r");
    Outcome outcome;
    std::array<char, 4096> piece{};
    while (const std::size_t n = fread(piece.data(), 1, piece.size(), pipe)) outcome.output.append(piece.data(), n);
    outcome.code = WEXITSTATUS(pclose(pipe));
    std::ifstream file(errors);
    outcome.errors.assign(std::istreambuf_iterator<char>(file), {});
    return outcome;
  }

  std::string small_model() {
    return dir_.write("model.json", std::string(R"({"name": "small", "input": [6, 6],
      "layers": [{"type": "dense", "units": 8, "activation": "relu"}, {"type": "dense", "units": 3}],
      "loss": "sparse_categorical_crossentropy", "optimizer": {"type": "sgd", "learning_rate": 0.05, "momentum": 0.9},
      "batch_size": 16})"));
  }
  std::string small_data() {
    write_data_set(dir_, 50, 20, 6, 6, 3);
    return dir_.path().string();
  }
  static std::set<std::string> keys(const Json& json) {
    std::set<std::string> names;
    for (const auto& [key, value] : json.items()) names.insert(key);
    return names;
  }
  // One line of error, nothing on standard output.
  void expect_failure(const std::string& arguments, const std::string& text) {
    const Outcome o = run(arguments);
    EXPECT_NE(o.code, 0) << arguments;
    EXPECT_NE(o.errors.find(text), std::string::npos) << arguments << "\n" << o.errors;
    EXPECT_EQ(o.output, "") << arguments;
  }

  TemporaryDirectory dir_;
};

TEST_F(Cli, GemmReportsTheKeysThatScriptsReadFrom) {
  const Outcome o = run("gemm --m 17 --n 33 --k 40 --tb --device functional --check --data adversarial --json");
  ASSERT_EQ(o.code, 0) << o.errors;
  const Json json = o.last_line();
  EXPECT_EQ(keys(json), (std::set<std::string>{"m", "n", "k", "batch", "device", "rows", "cols", "cycles", "macs",
                                               "utilisation", "exact", "checked"}));
  EXPECT_EQ(json["macs"], 17 * 33 * 40);
  EXPECT_EQ(json["batch"], 1);
  EXPECT_EQ(json["checked"], 17 * 33);
  EXPECT_EQ(json["exact"], true);
  EXPECT_TRUE(json["cycles"].is_null());  // the functional device has no clock
  EXPECT_EQ(run("gemm --m 4 --n 4 --k 0 --device functional --check --json").last_line()["exact"], true);
}

TEST_F(Cli, TrainReportsTheKeysThatScriptsReadFrom) {
  const Outcome o =
      run("train " + small_model() + " --data " + small_data() + " --device functional --epochs 2 --json");
  ASSERT_EQ(o.code, 0) << o.errors;
  const Json json = o.last_line();
  EXPECT_EQ(keys(json), (std::set<std::string>{"model", "data", "device", "device_detail", "device_parts", "steps",
                                               "epochs", "train_loss", "test_accuracy", "weights_digest",
                                               "cycles_per_step", "utilisation", "samples_per_second"}));
  EXPECT_EQ(json["steps"], 8);
  EXPECT_EQ(json["epochs"], 2);
  EXPECT_EQ(json["weights_digest"].get<std::string>().size(), 64U);
}

TEST_F(Cli, TrainTakesAsManyEpochsAsTheStepsNeed) {
  const std::string command =
      "train " + small_model() + " --data " + small_data() + " --device functional --json --steps 9";
  EXPECT_EQ(run(command).last_line()["steps"], 9);  // an epoch has 4
  EXPECT_EQ(run(command).last_line()["epochs"], 3);
  EXPECT_EQ(run(command + " --epochs 1").last_line()["steps"], 4);
}

TEST_F(Cli, TrainWithoutATerminalHasNoBarAndNoColours) {
  const Outcome o = run("train " + small_model() + " --data " + small_data() + " --device functional");
  ASSERT_EQ(o.code, 0) << o.errors;
  EXPECT_EQ(o.output.find('\r'), std::string::npos);
  EXPECT_EQ(o.output.find('\033'), std::string::npos);
  EXPECT_NE(o.output.find("step 4/4"), std::string::npos) << o.output;
  EXPECT_NE(o.output.find("test accuracy"), std::string::npos) << o.output;
}

TEST_F(Cli, TrainingIsReproducibleAndSeedsDiffer) {
  const std::string command =
      "train " + small_model() + " --data " + small_data() + " --device functional --json --seed ";
  const auto digest = [&](const std::string& rest) { return run(command + rest).last_line()["weights_digest"]; };
  EXPECT_EQ(digest("3"), digest("3"));
  EXPECT_NE(digest("3"), digest("4"));
  EXPECT_EQ(digest("3 --config tiny"), digest("3 --config u250"));
}

TEST_F(Cli, EvalFindsWhatTrainSaved) {
  const std::string model = small_model();
  const std::string data = small_data();
  const Json trained =
      run("train " + model + " --data " + data + " --device functional --json --save " + dir_.file("w")).last_line();
  const Outcome o = run("eval " + model + " --data " + data + " --weights " + dir_.file("w") + " --json");
  ASSERT_EQ(o.code, 0) << o.errors;
  EXPECT_EQ(o.last_line()["weights_digest"], trained["weights_digest"]);
  EXPECT_EQ(o.last_line()["test_accuracy"], trained["test_accuracy"]);
}

TEST_F(Cli, DevicesAreListed) {
  const Json json = run("devices --json").last_line();
  ASSERT_TRUE(json["devices"].is_array());
  bool functional = false;
  for (const Json& device : json["devices"]) {
    EXPECT_EQ(keys(device), (std::set<std::string>{"name", "kind", "board", "usable", "reason"}));
    functional = functional || (device["name"] == "functional" && device["usable"] == true);
  }
  EXPECT_TRUE(functional);
}

TEST_F(Cli, AssemblesAndDisassembles) {
  const std::string text =
      "LOAD slot=1 buf_line=64 n0=4 post=vector\nVEC a_kind=bf16 a_line=64 rows=4 wait=load\nHALT\n";
  const std::string source = dir_.write("p.s", text);
  const Outcome assembled = run("asm " + source + " -o " + dir_.file("p.bin") + " --json");
  ASSERT_EQ(assembled.code, 0) << assembled.errors;
  EXPECT_EQ(assembled.last_line()["words"], 3);
  const std::string listing = run("disasm " + dir_.file("p.bin")).output;
  dir_.write("again.s", listing);
  ASSERT_EQ(run("asm " + dir_.file("again.s") + " -o " + dir_.file("again.bin")).code, 0);
  EXPECT_EQ(run("disasm " + dir_.file("again.bin")).output, listing);
  EXPECT_EQ(run("disasm " + dir_.file("p.bin") + " --json").last_line()["instructions"].size(), 3U);
}

TEST_F(Cli, PrintsConfigurations) {
  EXPECT_EQ(run("config sim --json").last_line()["cols"], 32);
  dir_.write("copy.toml", run("config tiny").output);
  EXPECT_EQ(run("config " + dir_.file("copy.toml") + " --json").last_line()["cols"], 8);
  EXPECT_NE(run("config --list").output.find("u250\n"), std::string::npos);
}

TEST_F(Cli, BadInputIsOneClearErrorAndNothingElse) {
  const std::string model = small_model();
  const std::string data = small_data();
  expect_failure("train nothing.json --data " + data, "nothing.json");
  expect_failure("train " + model + " --data nowhere --device functional --json", "no data set nowhere");
  expect_failure("train " + model + " --data " + data + " --device abacus --json", "abacus");
  expect_failure("train " + model + " --data " + data + " --config nosuch --json", "nosuch");
  expect_failure("gemm --m -1 --n 4 --k 4", "--m");
  expect_failure("gemm --m 4 --n 4", "--k is required");
  expect_failure("gemm --m 4 --n 4 --k 4 --data strange", "--data");
  expect_failure("disasm " + model, "whole number of 16-byte words");
  expect_failure("config nosuch", "nosuch");
  expect_failure("nonsense", "there is no subcommand \"nonsense\"; use train, eval");
  expect_failure("", "subcommand");
}

TEST_F(Cli, FailedCommandsLeaveNoFiles) {
  dir_.write("bad.s", std::string("LOAD n0=0\n"));
  expect_failure("asm " + dir_.file("bad.s") + " -o " + dir_.file("bad.bin"), "bad.s");
  EXPECT_FALSE(std::filesystem::exists(dir_.file("bad.bin")));
  const std::string data = small_data();
  dir_.write("t10k-labels-idx1-ubyte", idx_images(1, 1, 1));
  expect_failure("train " + small_model() + " --data " + data + " --device functional --json --save " + dir_.file("w"),
                 "expected a label file");
  EXPECT_FALSE(std::filesystem::exists(dir_.file("w")));
}

TEST_F(Cli, NumbersAreDecimalAndInRange) {
  const std::string gemm = "gemm --device functional --json --n 1 --k 1 --m ";
  EXPECT_EQ(run(gemm + "010").last_line()["m"], 10);
  for (const char* bad : {"-1", "1.5", "nan", "1e3", "0x10", "16777217", "99999999999999999999999"})
    expect_failure(gemm + bad, "is not a whole number from 0 to 16777216");
  expect_failure(gemm + "1 --seed -1", "not a whole number");
  expect_failure(gemm + "1 --seed 18446744073709551616", "not a whole number");
  const std::string train = "train " + small_model() + " --data " + small_data() + " --device functional --json ";
  for (const char* option : {"--steps", "--epochs", "--batch-size"})
    for (const char* bad : {" 0", " -1", " 1.5", " 18446744073709551616"})
      expect_failure(train + option + bad, "not a whole number from 1");
  for (const char* bad : {"nan", "inf", "-1", "1e39", "abc"})
    expect_failure(train + "--learning-rate " + bad, "is not a learning rate");
  EXPECT_EQ(run(train + "--steps 1 --epochs 18446744073709551615").last_line()["steps"], 1);
  EXPECT_EQ(run(train + "--steps 1 --epochs 4611686018427387904").last_line()["steps"], 1);
}

TEST_F(Cli, OptionsThatWouldDoNothingAreErrors) {
  const std::string gemm = "gemm --m 1 --n 1 --k 1 --device functional ";
  expect_failure(gemm + "--waves w.fst", "--device verilated");
  expect_failure(gemm + "--stall 5", "--device verilated");
  expect_failure(gemm + "--waves ''", "--waves: the path is empty");
  ASSERT_EQ(::mkfifo(dir_.file("waves").c_str(), 0600), 0);
  for (const std::string& bad : {dir_.file("waves"), std::string("/dev/full"), dir_.path().string()})
    expect_failure("gemm --m 1 --n 1 --k 1 --waves " + bad, "cannot write " + bad);
  expect_failure("train m.json --data d --save ''", "--save: the path is empty");
}

TEST_F(Cli, BatchesAreIndependentProductsWithTotals) {
  const std::string gemm = "gemm --m 17 --n 33 --k 40 --device functional --data adversarial --json --check ";
  const Json json = run(gemm + "--batch 7").last_line();
  EXPECT_EQ(json["batch"], 7);
  EXPECT_EQ(json["macs"], 7 * 17 * 33 * 40);
  EXPECT_EQ(json["checked"], 7 * 17 * 33);
  EXPECT_EQ(json["exact"], true);
  const Json none = run(gemm + "--batch 0").last_line();
  EXPECT_EQ(none["macs"], 0);
  EXPECT_EQ(none["exact"], true);
  expect_failure(gemm + "--batch -1", "--batch");
  EXPECT_NE(run("gemm --m 4 --n 5 --k 6 --batch 3 --device functional").output.find("3 products of 4 x 5 x 6"),
            std::string::npos);
}

TEST_F(Cli, SampledChecksSaySo) {
  const std::string gemm = "gemm --m 160 --n 160 --k 40 --device functional ";
  EXPECT_EQ(run(gemm + "--check=sampled --json").last_line()["checked"], 160 * 160 / 16);
  EXPECT_NE(run(gemm + "--check=sampled").output.find("exact in all 1600 elements of the sample"), std::string::npos);
  EXPECT_EQ(run(gemm + "--check=all --json").last_line()["checked"], 160 * 160);
  EXPECT_TRUE(run(gemm + "--json").last_line()["exact"].is_null());
  EXPECT_TRUE(run(gemm + "--json").last_line()["checked"].is_null());
  expect_failure(gemm + "--check=some", "some");
}

TEST_F(Cli, WhatMemoryCannotHoldIsAnErrorAtOnce) {
  const std::string gemm = "gemm --device functional --m 16777216 --n 16777216 --k ";
  for (const char* k : {"0", "1", "16777216"}) expect_failure(gemm + k, "the matrices take");
}

// Each subcommand that reads files, with each of them in turn replaced.
TEST_F(Cli, InputsThatAreNoFilesAreErrorsAndNobodyWaits) {
  const std::string model = small_model();
  const std::string data = small_data();
  const std::string weights = dir_.file("w");
  ASSERT_EQ(run("train " + model + " --data " + data + " --device functional --save " + weights).code, 0);
  ASSERT_EQ(::mkfifo(dir_.file("pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(dir_.path() / "pipes");
  ASSERT_EQ(::mkfifo(dir_.file("pipes/train-images-idx3-ubyte").c_str(), 0600), 0);
  dir_.write("pipes/train-labels-idx1-ubyte", idx_labels(5, 3));
  const std::string limited = "timeout 20 " + std::string(HEDDLE_BINARY) + " ";
  const auto expect_refused = [&](const std::string& arguments, const std::string& text) {
    const Outcome o = run_command(limited + arguments);
    EXPECT_EQ(o.code, 1) << arguments;
    EXPECT_NE(o.errors.find(text), std::string::npos) << arguments << "\n" << o.errors;
  };
  for (const std::string& bad : {dir_.file("pipe"), std::string("/dev/zero"), dir_.path().string()}) {
    expect_refused("train " + bad + " --data " + data + " --device functional", "cannot read " + bad);
    expect_refused("eval " + bad + " --weights " + weights + " --data " + data, "cannot read " + bad);
    expect_refused("eval " + model + " --weights " + bad + " --data " + data, "cannot read " + bad);
    expect_refused("gemm --m 1 --n 1 --k 1 --device functional --config " + bad, "cannot read " + bad);
    expect_refused("train " + model + " --data " + data + " --device functional --config " + bad, "cannot read " + bad);
    expect_refused("devices --config " + bad, "cannot read " + bad);
    expect_refused("config " + bad, "cannot read " + bad);
    expect_refused("asm " + bad + " -o " + dir_.file("out"), "cannot read " + bad);
    expect_refused("disasm " + bad, "cannot read " + bad);
  }
  expect_refused("train " + model + " --data " + dir_.file("pipes") + " --device functional", "it is a pipe");
  dir_.write("p.s", std::string("HALT\n"));
  expect_refused("asm " + dir_.file("p.s") + " -o " + dir_.file("pipe"), "a pipe that nobody reads");
  EXPECT_FALSE(std::filesystem::exists(dir_.file("out")));
}

TEST_F(Cli, OutputThatCannotBeWrittenIsAnErrorThatNamesIt) {
  const std::string model = small_model();
  const std::string data = small_data();
  const std::string weights = dir_.file("w");
  ASSERT_EQ(run("train " + model + " --data " + data + " --device functional --save " + weights).code, 0);
  dir_.write("p.s", std::string("HALT\n"));
  const std::string big = dir_.write("big.bin", std::string(160000, '\xff'));
  const std::vector<std::string> commands = {"train " + model + " --data " + data + " --device functional",
                                             "eval " + model + " --weights " + weights + " --data " + data,
                                             "devices",
                                             "gemm --m 9 --n 9 --k 9 --device functional --check",
                                             "asm " + dir_.file("p.s") + " -o " + dir_.file("p.bin"),
                                             "disasm " + dir_.file("p.bin"),
                                             "disasm " + big,
                                             "config sim",
                                             "config --list"};
  std::vector<std::string> all = {"--help", "train --help"};
  for (const std::string& command : commands) {
    all.push_back(command);
    all.push_back(command + " --json");
  }
  for (const std::string& command : all)
    for (const auto& [where, reason] : {std::pair{" >/dev/full", "No space left"}, std::pair{" >&-", "it is closed"},
                                        std::pair{" | true", "its reader has gone"}}) {
      // A shell between heddle and its reader makes sure that the reader has gone before anything is written.
      const bool piped = std::string(where) == " | true";
      const std::string heddle = std::string(HEDDLE_BINARY) + " " + command;
      const Outcome o = piped ? run_command("bash -c '(sleep 0.1; " + heddle + ") | true; exit ${PIPESTATUS[0]}'")
                              : run_command(heddle + where);
      EXPECT_EQ(o.code, 1) << command << where;
      EXPECT_NE(o.errors.find("cannot write to standard output"), std::string::npos) << command << where << o.errors;
      EXPECT_NE(o.errors.find(reason), std::string::npos) << command << where << o.errors;
    }
}

TEST_F(Cli, JsonIsUtf8WhateverTheFilesAreCalled) {
  const std::string data = small_data();
  const std::string strange = dir_.file("\xff\"\xed\xa0\x80\\\n\xc3\xa4");
  std::filesystem::create_directory_symlink(dir_.path(), strange);
  const Outcome o = run("train " + small_model() + " --data '" + strange + "' --device functional --steps 1 --json");
  ASSERT_EQ(o.code, 0) << o.errors;
  const std::string name = o.last_line()["data"];  // the parser takes nothing but UTF-8
  EXPECT_NE(name.find("\uFFFD\"\uFFFD\uFFFD\uFFFD\\\n\u00e4"), std::string::npos) << name;
}

TEST_F(Cli, WrongArgumentsAreOneLineAndHaveTheirExitCode) {
  for (const std::string& arguments :
       {std::string(""), std::string("nonsense"), std::string("gemm --m 4 --n 4"),
        std::string("gemm --m x --n 1 --k 1"), std::string("gemm --m 1 --n 1 --k 1 --colour"),
        std::string("config sim tiny"), std::string("config --list sim"), std::string("train"),
        std::string("eval '' --weights w --data d"), std::string("disasm ''"), std::string("config ''"),
        std::string("asm x")}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_EQ(o.output, "") << arguments;
    EXPECT_EQ(o.errors.rfind("heddle: ", 0), 0U) << o.errors;
    EXPECT_EQ(std::count(o.errors.begin(), o.errors.end(), '\n'), 1) << o.errors;
  }
  EXPECT_NE(run("gemm --m 4 --n 4").errors.find("--k is required; see heddle gemm --help"), std::string::npos);
  EXPECT_EQ(run("--version").output.rfind("heddle ", 0), 0U);
}

TEST_F(Cli, InputsAreNotOverwritten) {
  const std::string model = small_model();
  expect_failure("train " + model + " --data " + small_data() + " --device functional --save " + model,
                 "it is the input");
  EXPECT_EQ(run("train " + model + " --data " + small_data() + " --device functional --steps 1").code, 0);
  const std::string source = dir_.write("p.s", std::string("HALT\n"));
  expect_failure("asm " + source + " -o " + source, "it is the input");
  expect_failure("asm " + source + " -o " + dir_.path().string(), "Is a directory");
}

TEST_F(Cli, FilesOverTheSizeLimitAreErrors) {
  const std::string train = "train " + small_model() + " --data " + small_data() + " --device functional --save ";
  EXPECT_EQ(run_command("sh -c 'ulimit -f 0; exec " + std::string(HEDDLE_BINARY) + " " + train + dir_.file("w") +
                        " >/dev/null 2>&1'")
                .code,
            1);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("w")));
}

TEST_F(Cli, PlacesThatCannotBeWrittenAreFoundBeforeTraining) {
  const std::string train = "train " + small_model() + " --data nowhere --save " + dir_.file("");
  expect_failure(train + "none/w", "No such file or directory");  // not that the data are missing
  expect_failure(train + "model.json/w", "Not a directory");
  expect_failure(train, "Is a directory");
}

TEST_F(Cli, WeightsOfAnotherModelNameTheFile) {
  const std::string data = small_data();
  const std::string model = small_model();
  ASSERT_EQ(run("train " + model + " --data " + data + " --device functional --save " + dir_.file("w")).code, 0);
  dir_.write("wide.json", std::string(R"({"name": "wide", "input": [36], "layers": [{"type": "dense", "units": 3}],
      "loss": "sparse_categorical_crossentropy", "optimizer": {"type": "sgd", "learning_rate": 0.05},
      "batch_size": 16})"));
  expect_failure("eval " + dir_.file("wide.json") + " --data " + data + " --weights " + dir_.file("w"),
                 dir_.file("w") + ": model wide has 2 weight tensors, not 4");
}

// The commands of the README, as they stand there.
TEST_F(Cli, WhatTheReadmeProposesWorks) {
  std::ifstream readme(HEDDLE_SOURCE_DIR "/README.md");
  std::vector<std::string> commands;
  bool in_section = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.rfind("## ", 0) == 0) in_section = line == "## What to try";
    if (in_section && line.rfind("    ", 0) == 0) commands.push_back(line.substr(4));
  }
  ASSERT_GT(commands.size(), 5U);
  std::filesystem::create_directory(dir_.path() / "build");
  std::filesystem::create_symlink(HEDDLE_BINARY, dir_.path() / "build" / "heddle");
  std::filesystem::create_directory_symlink(HEDDLE_SOURCE_DIR "/models", dir_.path() / "models");
  bool verilated = false;
  const Json listing = run("devices --json").last_line();
  for (const Json& device : listing["devices"])
    verilated = verilated || (device["name"] == "verilated" && device["usable"]);
  const bool fashion = std::filesystem::exists("/usr/share/datasets/fashion-mnist");
  for (const std::string& command : commands) {
    if (!verilated && command.find("--device verilated") != std::string::npos) continue;
    if (!fashion && command.find("fashion-mnist") != std::string::npos) continue;
    const Outcome o = run_command("cd " + dir_.path().string() + " && " + command);
    EXPECT_EQ(o.code, 0) << command << "\n" << o.errors;
  }
}

TEST_F(Cli, HelpExplainsAndSucceeds) {
  const Outcome o = run("--help");
  EXPECT_EQ(o.code, 0);
  for (const char* command : {"train", "eval", "devices", "gemm", "asm", "disasm", "config"})
    EXPECT_NE(o.output.find(command), std::string::npos) << command;
}

}  // namespace
}  // namespace heddle
