// A model as a stack of layers, in the manner of Keras.
//
//   Sequential model("digits", 784);
//   model.add(Dense{128, Activation::relu});
//   model.add(Dense{10});
//   model.compile(*device, Sgd{0.1F, 0.9F}, Loss::sparse_categorical_crossentropy, {.seed = 1});
//   model.fit(train, {.batch_size = 128, .epochs = 5});
//   double accuracy = model.evaluate(test).accuracy;
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/device.h"
#include "host/api/layers.h"
#include "host/api/model_graph.h"
#include "host/data/dataset.h"
#include "host/executor/device_state.h"
#include "host/executor/step_runner.h"

namespace heddle {

struct CompileOptions {
  std::uint64_t seed = 1;  // of the initial weights and of the order of the samples
};

// After each step of `fit`; running means are those of the epoch.
struct StepReport {
  std::uint64_t step = 0;  // from 1, over all epochs
  std::uint64_t steps = 0;
  std::uint64_t epoch = 0;    // from 1
  std::uint64_t samples = 0;  // of the epoch so far
  double loss = 0;
  double accuracy = 0;
  std::uint64_t batch = 0;
  driver::Counters counters;  // of this step
};

struct FitOptions {
  std::uint64_t batch_size = 32;
  std::uint64_t epochs = 1;
  std::uint64_t max_steps = 0;  // 0: no limit but the epochs
  bool shuffle = true;
  std::function<void(const StepReport&)> on_step = {};
};

struct EpochReport {
  double loss = 0;  // means over the samples of the epoch, while it trained
  double accuracy = 0;
  std::uint64_t samples = 0;
};

struct History {
  std::vector<EpochReport> epochs;  // the last one may be cut short by max_steps
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  driver::Counters counters;  // sums over all steps; zeros if the device does not count
  std::uint64_t macs = 0;     // that the mathematics asks for
};

struct Evaluation {
  double loss = 0;
  double accuracy = 0;
  std::uint64_t samples = 0;
};

struct NamedTensor {
  std::string name;
  graph::Shape shape;
  std::vector<float> values;
};

class Sequential {
 public:
  Sequential(std::string name, std::uint64_t features);
  // Throws CompileError for a layer without units or with a name that is taken.
  void add(Dense layer);
  const ModelSpec& spec() const { return spec_; }
  std::uint64_t parameters() const;

  // Puts the model on a device, with new weights: Glorot-uniform kernels (value i of parameter p is drawn from
  // Random(seed, 2^32 + p) at i), zero biases. The device has to outlive the model. Throws CompileError.
  void compile(driver::Device& device, const Sgd& optimizer, Loss loss, const CompileOptions& options);

  // Throws InputError when the samples do not fit the model, DeviceError.
  History fit(const Dataset& data, const FitOptions& options);
  Evaluation evaluate(const Dataset& data, std::uint64_t batch_size = 128);
  // Logits, row-major.
  std::vector<float> predict(const Dataset& data, std::uint64_t batch_size = 128);

  // Master weights in the order of the layers, kernel before bias.
  std::vector<NamedTensor> weights();
  // Also forgets the momentum. Throws InputError unless names and shapes are those of the model.
  void set_weights(const std::vector<NamedTensor>& weights);
  // SHA-256 over name, shape and fp32 bits (little endian, row-major) of all master weights; momentum is not part of
  // it.
  std::string weights_digest();

  // MACs of the matrix products of one training step, padding not counted.
  std::uint64_t training_macs(std::uint64_t batch) const;

 private:
  void require_compiled() const;
  void require_features(const Dataset& data) const;
  void require_labels(const Dataset& data) const;
  void initialize(std::uint64_t seed);
  StepRunner& training_step(std::uint64_t batch);
  StepRunner& prediction_step(std::uint64_t batch);
  std::vector<std::pair<std::string, graph::Shape>> parameter_shapes() const;

  ModelSpec spec_;
  driver::Device* device_ = nullptr;
  Sgd optimizer_;
  std::uint64_t seed_ = 1;
  std::uint64_t epochs_done_ = 0;
  std::unique_ptr<DeviceState> state_;
  std::map<std::uint64_t, std::unique_ptr<StepRunner>> training_;  // by batch size
  std::map<std::uint64_t, std::unique_ptr<StepRunner>> prediction_;
};

}  // namespace heddle
