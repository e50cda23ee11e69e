// Sequential models and their files.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "common/error.h"
#include "driver/device_factory.h"
#include "host/api/model_file.h"
#include "host/api/sequential.h"
#include "host/data/random.h"
#include "host/metrics/metrics.h"
#include "sim/numerics/bf16.h"
#include "tests/host/temporary_directory.h"

namespace heddle {
namespace {

using testing_support::TemporaryDirectory;

// Samples of `classes` clusters that a small network can tell apart.
Dataset clusters(std::uint64_t count, std::uint64_t features, std::uint32_t classes) {
  Random random(17, 0);
  Dataset data{"clusters", count, features, classes, {}, {}};
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint32_t>(random.below(classes));
    data.labels.push_back(label);
    for (std::uint64_t f = 0; f < features; ++f) {
      const float centre = f % classes == label ? 1.0F : 0.0F;
      data.values.push_back(numerics::to_bf16(std::bit_cast<std::uint32_t>(centre + 0.6F * (random.unit() - 0.5F))));
    }
  }
  return data;
}

struct Trained {
  std::unique_ptr<driver::Device> device;
  Sequential model;
};

Trained small_model(const config::Config& config = config::load("sim"), std::uint64_t seed = 1) {
  Trained t{driver::open_device("functional", config), Sequential("small", 20)};
  t.model.add({24, Activation::relu});
  t.model.add({4});
  t.model.compile(*t.device, {0.1F, 0.9F}, Loss::sparse_categorical_crossentropy, {.seed = seed});
  return t;
}

TEST(Sequential, LearnsToTellClustersApart) {
  Trained t = small_model();
  const Dataset data = clusters(300, 20, 4);
  const double before = t.model.evaluate(data).accuracy;
  const History history = t.model.fit(data, {.batch_size = 32, .epochs = 8});
  const Evaluation after = t.model.evaluate(data);
  EXPECT_LT(before, 0.7);
  EXPECT_GT(after.accuracy, 0.97);
  EXPECT_LT(history.epochs.back().loss, 0.2 * history.epochs.front().loss);
  EXPECT_EQ(history.steps, 80U);
  EXPECT_EQ(history.samples, 2400U);
}

TEST(Sequential, CountsEverySampleOnceWithAPartialLastBatch) {
  Trained t = small_model();
  const Dataset data = clusters(70, 20, 4);
  std::vector<std::uint64_t> sizes;
  const History history = t.model.fit(
      data, {.batch_size = 32, .epochs = 2, .on_step = [&](const StepReport& r) { sizes.push_back(r.batch); }});
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{32, 32, 6, 32, 32, 6}));
  EXPECT_EQ(history.epochs[0].samples, 70U);
  EXPECT_EQ(t.model.evaluate(data, 32).samples, 70U);
}

TEST(Sequential, BatchLargerThanTheDataSetIsOneBatch) {
  Trained t = small_model();
  const Dataset data = clusters(10, 20, 4);
  EXPECT_EQ(t.model.fit(data, {.batch_size = 4000, .epochs = 3}).steps, 3U);
  EXPECT_EQ(t.model.evaluate(data, 4000).samples, 10U);
}

TEST(Sequential, MetricsOfTrainingAreThoseOfTheHost) {
  // With learning rate 0 the device's loss and count are those that the host computes from the logits.
  Trained t{driver::open_device("functional", config::load("sim")), Sequential("still", 20)};
  t.model.add({4});
  t.model.compile(*t.device, {0.0F, 0}, Loss::sparse_categorical_crossentropy, {.seed = 4});
  const Dataset data = clusters(90, 20, 4);
  const History history = t.model.fit(data, {.batch_size = 32});
  const Evaluation host = t.model.evaluate(data);
  EXPECT_NEAR(history.epochs[0].loss, host.loss, 1e-5);
  EXPECT_DOUBLE_EQ(history.epochs[0].accuracy, host.accuracy);
}

TEST(Sequential, EvaluationDoesNotDependOnTheBatchSize) {
  Trained t = small_model();
  const Dataset data = clusters(100, 20, 4);
  EXPECT_EQ(t.model.predict(data, 1), t.model.predict(data, 33));
  EXPECT_EQ(t.model.predict(data, 33), t.model.predict(data, 100));
}

TEST(Sequential, SameBitsWithAnyNumberOfColumns) {
  const Dataset data = clusters(150, 20, 4);
  std::string expected;
  for (const std::uint32_t cols : {8U, 16U, 32U, 64U}) {
    config::Config config = config::load("sim");
    config.cols = cols;
    Trained t = small_model(config);
    t.model.fit(data, {.batch_size = 32, .epochs = 2});
    if (expected.empty()) expected = t.model.weights_digest();
    EXPECT_EQ(t.model.weights_digest(), expected) << cols << " columns";
  }
}

TEST(Sequential, SeedDecidesEverything) {
  const Dataset data = clusters(100, 20, 4);
  const auto digest = [&](std::uint64_t seed) {
    Trained t = small_model(config::load("sim"), seed);
    t.model.fit(data, {.batch_size = 32});
    return t.model.weights_digest();
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

TEST(Sequential, StopsAfterMaxSteps) {
  Trained t = small_model();
  const Dataset data = clusters(100, 20, 4);
  EXPECT_EQ(t.model.fit(data, {.batch_size = 10, .epochs = 5, .max_steps = 13}).steps, 13U);
  EXPECT_EQ(t.model.fit(data, {.batch_size = 10, .epochs = 1, .max_steps = 13}).steps, 10U);
}

TEST(Sequential, RefusesWhatDoesNotFit) {
  Trained t = small_model();
  EXPECT_THROW(t.model.fit(clusters(10, 19, 4), {}), InputError);
  EXPECT_THROW(t.model.fit(clusters(10, 20, 5), {}), InputError);  // a label beyond the last layer
  EXPECT_THROW(t.model.fit(clusters(0, 20, 4), {}), InputError);
  EXPECT_THROW(t.model.predict(clusters(10, 19, 4)), InputError);
  Dataset short_of_labels = clusters(10, 20, 4);
  short_of_labels.labels.pop_back();
  EXPECT_THROW(t.model.evaluate(short_of_labels), InputError);
  Dataset short_of_values = clusters(10, 20, 4);
  short_of_values.values.pop_back();
  EXPECT_THROW(t.model.predict(short_of_values), InputError);
  EXPECT_THROW(t.model.fit(clusters(10, 20, 4), {.batch_size = 0}), InputError);
  EXPECT_THROW(Sequential("none", 0), CompileError);
  Sequential last("m", 20);
  last.add({4, Activation::relu, "out"});
  EXPECT_THROW(last.compile(*t.device, {0.1F, 0.9F}, Loss::sparse_categorical_crossentropy, {}), CompileError);
  Sequential model("m", 3);
  EXPECT_THROW(model.add({0}), CompileError);
  model.add({3, Activation::relu, "same"});
  EXPECT_THROW(model.add({3, Activation::relu, "same"}), CompileError);
  EXPECT_THROW(model.evaluate(clusters(10, 3, 3)), CompileError);  // not compiled
}

TEST(Sequential, InitialWeightsAreGlorotUniform) {
  Trained t = small_model();
  const auto weights = t.model.weights();
  ASSERT_EQ(weights.size(), 4U);
  EXPECT_EQ(weights[0].name, "dense_1.kernel");
  const float limit = std::sqrt(6.0F / (20 + 24));
  float largest = 0;
  double sum = 0;
  for (const float w : weights[0].values) {
    largest = std::max(largest, std::fabs(w));
    sum += w;
  }
  EXPECT_LE(largest, limit);
  EXPECT_GT(largest, 0.9F * limit);
  EXPECT_NEAR(sum / 480, 0, 0.05);
  EXPECT_EQ(weights[1].values, std::vector<float>(24, 0.0F));
}

TEST(Weights, SurviveAFile) {
  TemporaryDirectory dir;
  Trained t = small_model();
  const Dataset data = clusters(64, 20, 4);
  t.model.fit(data, {.batch_size = 32});
  write_weights(dir.file("w.safetensors"), t.model.weights());
  Trained other = small_model(config::load("sim"), 9);
  EXPECT_NE(other.model.weights_digest(), t.model.weights_digest());
  other.model.set_weights(read_weights(dir.file("w.safetensors")));
  EXPECT_EQ(other.model.weights_digest(), t.model.weights_digest());
  EXPECT_EQ(other.model.predict(data), t.model.predict(data));
}

TEST(Weights, BrokenFilesAreErrors) {
  TemporaryDirectory dir;
  Trained t = small_model();
  write_weights(dir.file("w"), t.model.weights());
  std::ifstream file(dir.file("w"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{20}, whole.size() / 2, whole.size() - 1}) {
    dir.write("cut", whole.substr(0, size));
    EXPECT_THROW(read_weights(dir.file("cut")), InputError) << size << " bytes";
  }
  dir.write("long", whole + "x");
  EXPECT_THROW(read_weights(dir.file("long")), InputError);
  std::string overlap = whole;  // the second tensor inside the first: 4 x 1 numbers at byte 0
  const std::size_t offsets = overlap.find("\"data_offsets\":[");
  const std::size_t close = overlap.find(']', offsets);
  const std::string text = overlap.substr(offsets, close - offsets);
  const std::size_t comma = text.find(',');
  const std::uint64_t first = std::stoull(text.substr(16)), last = std::stoull(text.substr(comma + 1));
  ASSERT_GT(first, 0U);
  const std::string moved = "\"data_offsets\":[0," + std::to_string(last - first);
  overlap.replace(offsets, text.size(), moved + std::string(text.size() - moved.size(), ' '));
  dir.write("overlap", overlap);
  EXPECT_THROW(read_weights(dir.file("overlap")), InputError);
  std::string other_type = whole;
  other_type.replace(other_type.find("F32"), 3, "F16");
  dir.write("type", other_type);
  EXPECT_THROW(read_weights(dir.file("type")), InputError);
  std::string other_name = whole;
  other_name.replace(other_name.find("dense_1"), 7, "dense_9");
  dir.write("name", other_name);
  EXPECT_THROW(t.model.set_weights(read_weights(dir.file("name"))), InputError);
}

constexpr char kModel[] =
    R"({"name": "m", "input": [4, 5], "layers": [{"type": "dense", "units": 3, "activation": "relu"},
  {"type": "dense", "units": 2}], "loss": "sparse_categorical_crossentropy", "optimizer": {"type": "sgd", "learning_rate": 0.5,
  "momentum": 0.25}, "metrics": ["accuracy"], "batch_size": 16})";

TEST(ModelFile, DescribesAModel) {
  const ModelDescription d = parse_model(kModel, "here");
  EXPECT_EQ(d.spec.features, 20U);
  ASSERT_EQ(d.spec.layers.size(), 2U);
  EXPECT_EQ(d.spec.layers[0].units, 3U);
  EXPECT_EQ(d.spec.layers[0].activation, Activation::relu);
  EXPECT_EQ(d.spec.layers[1].activation, Activation::linear);
  EXPECT_EQ(d.optimizer.learning_rate, 0.5F);
  EXPECT_EQ(d.optimizer.momentum, 0.25F);
  EXPECT_EQ(d.batch_size, 16U);
}

TEST(ModelFile, ErrorsNameTheKey) {
  const auto error = [](const std::string& find, const std::string& replace) -> std::string {
    std::string text = kModel;
    text.replace(text.find(find), find.size(), replace);
    try {
      parse_model(text, "file");
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error("\"units\": 3", "\"units\": 0"),
            "file, layer 1, key \"units\" has to be a whole number from 1 to 2^31");
  EXPECT_EQ(error("\"units\": 3, ", ""), "file, layer 1, key \"units\" is missing");
  EXPECT_NE(error("dense", "conv").find("known is dense"), std::string::npos);
  EXPECT_NE(error("\"relu\"", "\"gelu\"").find("known are linear, relu"), std::string::npos);
  EXPECT_NE(error("batch_size", "batchsize").find("unknown key \"batchsize\""), std::string::npos);
  EXPECT_NE(error("[4, 5]", "[4, 0]").find("key \"input\""), std::string::npos);
  EXPECT_NE(error("[4, 5]", "[70000, 70000]").find("key \"input\""), std::string::npos);
  EXPECT_NE(error("0.25", "1.0").find("below 1"), std::string::npos);
  EXPECT_NE(error("0.5", "1e99").find("too large"), std::string::npos);
  EXPECT_NE(error("0.5", "1e400").find("1e400"), std::string::npos);
  EXPECT_EQ(error("16}", "16, \"batch_size\": 3}"), "file: key \"batch_size\" is there twice; keep one");
  EXPECT_NE(error("accuracy", "f1").find("accuracy"), std::string::npos);
  EXPECT_NE(error("16}", "16").find("not JSON"), std::string::npos);
  for (const std::string& name :
       {std::string(), std::string("\\u001b[31m"), std::string("a\\nb"), std::string(257, 'x')})
    EXPECT_NE(
        error("\"units\": 3", "\"name\": \"" + name + "\", \"units\": 3").find("layer 1, key \"name\" has to have"),
        std::string::npos)
        << name;
  EXPECT_LT(error("16}", std::string(100000, 'x')).size(), 500U);
  EXPECT_LT(error("16}", "16, \"" + std::string(100000, 'x') + "\": 1}").size(), 600U);
}

TEST(Metrics, ArgMaxIsTheFirstLargestAndNeverNaN) {
  const float nan = std::nanf("");
  EXPECT_EQ(arg_max(std::vector<float>{1, 3, 3}), 1U);
  EXPECT_EQ(arg_max(std::vector<float>{nan, -1, nan}), 1U);
  EXPECT_EQ(arg_max(std::vector<float>{nan, nan}), 2U);
  EXPECT_EQ(arg_max(std::vector<float>{}), 0U);
}

TEST(Metrics, CrossEntropyOfKnownLogits) {
  EXPECT_NEAR(cross_entropy(std::vector<float>{0, 0, 0, 0}, 2), std::log(4.0), 1e-12);
  EXPECT_NEAR(cross_entropy(std::vector<float>{1000, 0}, 1), 1000, 1e-9);
  EXPECT_TRUE(std::isnan(cross_entropy(std::vector<float>{std::nanf(""), 0}, 1)));
}

}  // namespace
}  // namespace heddle
