// Networks train on emulated boards: several at once in one process and in several, and through faults.
#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <thread>

#include "driver/device_factory.h"
#include "host/api/sequential.h"
#include "host/data/random.h"
#include "sim/numerics/bf16.h"
#include "tests/emulation/child.h"
#include "tests/host/idx_files.h"

namespace heddle {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;

constexpr auto kLimit = 120s;
constexpr std::size_t kBoards = 4;

// Each board has its own network: what one did on another's behalf would change both.
std::string trained(driver::Device& device, std::uint64_t seed) {
  constexpr std::uint64_t kFeatures = 37, kSamples = 150;
  constexpr std::uint32_t kClasses = 5;
  Random random(seed, 0);
  Dataset data{"noise", kSamples, kFeatures, kClasses, {}, {}};
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    data.labels.push_back(static_cast<std::uint32_t>(random.below(kClasses)));
    for (std::uint64_t f = 0; f < kFeatures; ++f)
      data.values.push_back(numerics::to_bf16(std::bit_cast<std::uint32_t>(random.unit() - 0.5F)));
  }
  Sequential model("small", kFeatures);
  model.add({19, Activation::relu});
  model.add({kClasses});
  model.compile(device, {0.05F, 0.9F}, Loss::sparse_categorical_crossentropy, {.seed = seed});
  model.fit(data, {.batch_size = 32, .epochs = 2});
  return model.weights_digest();
}

TEST(EmulatedBoards, FourTrainAtOnceInOneProcess) {
  const config::Config config = config::load("tiny");
  std::vector<std::unique_ptr<driver::Device>> boards;
  for (std::size_t b = 0; b < kBoards; ++b) boards.push_back(driver::open_device("xrt", config, {}));
  std::vector<std::string> digests(kBoards);
  std::vector<std::thread> threads;
  for (std::size_t b = 0; b < kBoards; ++b) threads.emplace_back([&, b] { digests[b] = trained(*boards[b], b + 1); });
  for (std::thread& thread : threads) thread.join();
  const auto functional = driver::open_device("functional", config, {});
  for (std::size_t b = 0; b < kBoards; ++b) EXPECT_EQ(digests[b], trained(*functional, b + 1)) << "board " << b;
}

// The heddle program on the tiny configuration, with data that it finds in the folder.
class Program : public testing::Test {
 protected:
  Program() {
    write_data_set(folder, 96, 32, 6, 6, 3);
    model = folder.write("model.json", std::string(R"({"name": "small", "input": [6, 6],
      "layers": [{"type": "dense", "units": 8, "activation": "relu"}, {"type": "dense", "units": 3}],
      "loss": "sparse_categorical_crossentropy", "optimizer": {"type": "sgd", "learning_rate": 0.05, "momentum": 0.9},
      "batch_size": 16})"));
  }

  std::unique_ptr<Child> train(const std::string& device, unsigned seed, const Variables& variables = {}) {
    return std::make_unique<Child>(
        std::vector<std::string>{HEDDLE_BINARY, "train", model, "--data", folder.path().string(), "--config", "tiny",
                                 "--seed", std::to_string(seed), "--device", device, "--json"},
        variables, folder.path().string());
  }
  // Of a run that has to go well.
  static std::string digest(Child& child) {
    EXPECT_TRUE(child.wait(kLimit)) << child.output();
    EXPECT_EQ(child.exit_code(), 0) << child.output();
    const std::string& text = child.output();
    const std::size_t end = text.find_last_not_of('\n') + 1, begin = text.rfind('\n', end - 1) + 1;
    const auto json = nlohmann::json::parse(text.substr(begin, end - begin), nullptr, false);
    return json.is_object() ? json.value("weights_digest", "none") : "no JSON in: " + text;
  }

  TemporaryDirectory folder;
  std::string model;
};

TEST_F(Program, TrainsInFourProcessesAtOnce) {
  std::vector<std::unique_ptr<Child>> children;
  for (unsigned b = 0; b < kBoards; ++b) children.push_back(train("xrt", b + 1));
  for (unsigned b = 0; b < kBoards; ++b) EXPECT_EQ(digest(*children[b]), digest(*train("functional", b + 1)));
}

struct FaultCase {
  const char* faults;
  const char* said;
};

class Fault : public Program, public testing::WithParamInterface<FaultCase> {};

TEST_P(Fault, EndsTrainingWithANamedErrorAndTheNextRunWorks) {
  const auto child = train("xrt", 1,
                           {{"HEDDLE_EMULATION_FAULTS", GetParam().faults},
                            {"HEDDLE_EMULATION_REPLY_LIMIT", "3"},
                            {"HEDDLE_XRT_STILL_LIMIT", "3"}});
  ASSERT_TRUE(child->wait(30s)) << child->output();
  EXPECT_EQ(child->exit_code(), 1) << child->output();
  EXPECT_NE(child->output().find(GetParam().said), std::string::npos) << child->output();
  EXPECT_TRUE(child->others_end(5s));
  EXPECT_EQ(digest(*train("xrt", 1)), digest(*train("functional", 1)));
}

INSTANTIATE_TEST_SUITE_P(
    All, Fault,
    testing::Values(FaultCase{"read_error@2", "device xrt stopped at word 0 of the program: axi_read"},
                    FaultCase{"write_error", "device xrt stopped at word"},
                    FaultCase{"fetch_error@3", "device xrt stopped at word 0 of the program: axi_fetch"},
                    FaultCase{"stuck_kernel", "core stands still on emulated board 0: for 3 s"},
                    FaultCase{"stuck_kernel@3", "core stands still on emulated board 0: for 3 s"},
                    FaultCase{"lost_completion@2", "core stands still on emulated board 0: for 3 s"},
                    FaultCase{"wrong_uuid", "register MAGIC of core 0 of emulated board 0"},
                    FaultCase{"crash@2", "the emulated board is lost: its process"},
                    FaultCase{"silent@2", "the emulated board is lost: its process"},
                    FaultCase{"none_such", "there is no such fault; use read_error"}),
    [](const auto& info) { return "Number" + std::to_string(info.index); });

}  // namespace
}  // namespace heddle
