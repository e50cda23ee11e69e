#include "host/api/sequential.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "common/error.h"
#include "common/sha256.h"
#include "host/data/batches.h"
#include "host/data/random.h"
#include "host/metrics/metrics.h"

namespace heddle {
namespace {

constexpr std::uint64_t kWeightStreams = std::uint64_t{1} << 32;  // above the streams of the epochs

BatchData gather(const Dataset& data, std::span<const std::uint32_t> samples) {
  BatchData batch;
  batch.features.resize(samples.size() * data.features);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::memcpy(&batch.features[i * data.features], &data.values[samples[i] * data.features],
                data.features * sizeof(std::uint16_t));
    batch.labels.push_back(data.labels[samples[i]]);
  }
  return batch;
}

// Runs batches one after the other and stages each one while the one before is computed.
template <typename StepOf, typename Done>
void run_batches(const Dataset& data, std::span<const std::uint32_t> order, std::span<const BatchRange> ranges,
                 StepOf step_of, Done done) {
  const auto stage = [&](const BatchRange& range) {
    step_of(range.size).stage(gather(data, order.subspan(range.first, range.size)));
  };
  if (!ranges.empty()) stage(ranges[0]);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    StepRunner& step = step_of(ranges[i].size);
    step.start();
    if (i + 1 < ranges.size()) stage(ranges[i + 1]);
    done(ranges[i], step.wait());
  }
}

}  // namespace

Sequential::Sequential(std::string name, std::uint64_t features) {
  if (features == 0)
    throw CompileError("model " + name + ": the input has no features; its shape must not contain a zero");
  spec_.name = std::move(name);
  spec_.features = features;
}

void Sequential::add(Dense layer) {
  if (layer.name.empty()) layer.name = "dense_" + std::to_string(spec_.layers.size() + 1);
  if (layer.units == 0) throw CompileError("layer " + layer.name + " has 0 units; it needs at least 1");
  for (const Dense& other : spec_.layers)
    if (other.name == layer.name) throw CompileError("two layers are called " + layer.name + "; rename one");
  spec_.layers.push_back(std::move(layer));
}

std::vector<std::pair<std::string, graph::Shape>> Sequential::parameter_shapes() const {
  std::vector<std::pair<std::string, graph::Shape>> shapes;
  std::uint64_t features = spec_.features;
  for (const Dense& layer : spec_.layers) {
    shapes.push_back({kernel_name(layer), {features, layer.units}});
    shapes.push_back({bias_name(layer), {1, layer.units}});
    features = layer.units;
  }
  return shapes;
}

std::uint64_t Sequential::parameters() const {
  std::uint64_t count = 0;
  for (const auto& [name, shape] : parameter_shapes()) count += shape.rows * shape.columns;
  return count;
}

std::uint64_t Sequential::training_macs(std::uint64_t batch) const {
  std::uint64_t macs = 0;
  std::uint64_t features = spec_.features;
  for (std::size_t i = 0; i < spec_.layers.size(); ++i) {
    const std::uint64_t products = i == 0 ? 2 : 3;  // y and dW; dX too, but not of the input
    macs += products * batch * features * spec_.layers[i].units;
    features = spec_.layers[i].units;
  }
  return macs;
}

void Sequential::compile(driver::Device& device, const Sgd& optimizer, Loss loss, const CompileOptions& options) {
  if (spec_.layers.empty()) throw CompileError("model " + spec_.name + " has no layers; add at least one Dense");
  if (spec_.layers.back().activation != Activation::linear)
    throw CompileError("layer " + spec_.layers.back().name + " of model " + spec_.name +
                       " is the last and has an activation; the loss takes its plain outputs, remove the activation");
  if (!std::isfinite(optimizer.learning_rate) || !std::isfinite(optimizer.momentum))
    throw CompileError("learning rate and momentum have to be finite numbers");
  assert(loss == Loss::sparse_categorical_crossentropy);
  static_cast<void>(loss);
  device_ = &device;
  optimizer_ = optimizer;
  seed_ = options.seed;
  epochs_done_ = 0;
  training_.clear();
  prediction_.clear();
  state_ = std::make_unique<DeviceState>(
      device, compiler::plan_state(training_graph(spec_, 1, optimizer).graph, device.config()));
  initialize(options.seed);
}

void Sequential::initialize(std::uint64_t seed) {
  std::uint64_t index = 0;
  for (const auto& [name, shape] : parameter_shapes()) {
    std::vector<float> values(shape.rows * shape.columns, 0.0F);
    if (index % 2 == 0) {
      Random random(seed, kWeightStreams + index);
      const float limit = std::sqrt(6.0F / static_cast<float>(shape.rows + shape.columns));
      for (float& value : values) value = (2.0F * random.unit() - 1.0F) * limit;
    }
    state_->write(name, values);
    ++index;
  }
}

void Sequential::require_compiled() const {
  if (device_ == nullptr) throw CompileError("model " + spec_.name + " is on no device yet; call compile first");
}

void Sequential::require_features(const Dataset& data) const {
  if (data.features != spec_.features)
    throw InputError("model " + spec_.name + " takes " + std::to_string(spec_.features) + " features, samples of " +
                     data.name + " have " + std::to_string(data.features));
  if (data.values.size() != data.count * data.features)
    throw InputError("data set " + data.name + " has " + std::to_string(data.values.size()) + " values; " +
                     std::to_string(data.count) + " samples need " + std::to_string(data.count * data.features));
}

void Sequential::require_labels(const Dataset& data) const {
  if (data.count == 0) throw InputError("data set " + data.name + " is empty; it needs at least one sample");
  if (data.labels.size() != data.count)
    throw InputError("data set " + data.name + " has " + std::to_string(data.count) + " samples but " +
                     std::to_string(data.labels.size()) + " labels");
  const std::uint64_t outputs = spec_.layers.back().units;
  for (const std::uint32_t label : data.labels)
    if (label >= outputs)
      throw InputError("model " + spec_.name + " tells " + std::to_string(outputs) + " classes apart, but " +
                       data.name + " has label " + std::to_string(label));
}

StepRunner& Sequential::training_step(std::uint64_t batch) {
  std::unique_ptr<StepRunner>& step = training_[batch];
  if (!step) {
    const ModelGraph model = training_graph(spec_, batch, optimizer_);
    step = std::make_unique<StepRunner>(*device_, *state_,
                                        compiler::compile_step(model.graph, state_->layout(), device_->config()),
                                        kFeatures, kLabels);
    step->set(compiler::ConstantName::learning_rate, optimizer_.learning_rate);
  }
  return *step;
}

StepRunner& Sequential::prediction_step(std::uint64_t batch) {
  std::unique_ptr<StepRunner>& step = prediction_[batch];
  if (!step) {
    const ModelGraph model = prediction_graph(spec_, batch);
    step = std::make_unique<StepRunner>(
        *device_, *state_, compiler::compile_step(model.graph, state_->layout(), device_->config(), model.logits),
        kFeatures, kLabels);
  }
  return *step;
}

History Sequential::fit(const Dataset& data, const FitOptions& options) {
  require_compiled();
  require_features(data);
  require_labels(data);
  if (options.batch_size == 0) throw InputError("batch size 0: a batch needs at least 1 sample");
  const auto ranges = batches(data.count, options.batch_size);
  const std::uint64_t epochs = std::min(options.epochs, std::numeric_limits<std::uint64_t>::max() / ranges.size());
  const std::uint64_t all_steps = ranges.size() * epochs;
  StepReport report;
  report.steps = options.max_steps > 0 ? std::min(options.max_steps, all_steps) : all_steps;
  History history;
  for (std::uint64_t epoch = 0; epoch < epochs && history.steps < report.steps; ++epoch) {
    const auto order = sample_order(data.count, seed_, epochs_done_++, options.shuffle);
    const auto count = std::min<std::uint64_t>(ranges.size(), report.steps - history.steps);
    EpochReport totals;
    double correct = 0;
    run_batches(
        data, order, std::span(ranges).first(count),
        [this](std::uint64_t size) -> StepRunner& { return training_step(size); },
        [&](const BatchRange& range, const StepResult& result) {
          totals.samples += range.size;
          totals.loss += result.loss_sum;
          correct += static_cast<double>(result.correct);
          ++history.steps;
          history.counters += result.counters;
          history.macs += training_macs(range.size);
          const auto samples = static_cast<double>(totals.samples);
          report = {history.steps,         report.steps,      epoch + 1,  totals.samples,
                    totals.loss / samples, correct / samples, range.size, result.counters};
          if (options.on_step) options.on_step(report);
        });
    totals.loss /= static_cast<double>(totals.samples);
    totals.accuracy = correct / static_cast<double>(totals.samples);
    history.samples += totals.samples;
    history.epochs.push_back(totals);
  }
  return history;
}

std::vector<float> Sequential::predict(const Dataset& data, std::uint64_t batch_size) {
  require_compiled();
  require_features(data);
  if (batch_size == 0) throw InputError("batch size 0: a batch needs at least 1 sample");
  std::vector<float> logits;
  const auto order = sample_order(data.count, seed_, 0, false);
  run_batches(
      data, order, batches(data.count, batch_size),
      [this](std::uint64_t size) -> StepRunner& { return prediction_step(size); },
      [&](const BatchRange&, const StepResult& result) {
        logits.insert(logits.end(), result.output.begin(), result.output.end());
      });
  return logits;
}

Evaluation Sequential::evaluate(const Dataset& data, std::uint64_t batch_size) {
  require_compiled();
  require_labels(data);
  ClassificationMetrics metrics;
  metrics.add(predict(data, batch_size), data.labels);
  return {metrics.loss(), metrics.accuracy(), metrics.samples};
}

std::vector<NamedTensor> Sequential::weights() {
  require_compiled();
  std::vector<NamedTensor> result;
  for (const auto& [name, shape] : parameter_shapes()) result.push_back({name, shape, state_->read(name)});
  return result;
}

void Sequential::set_weights(const std::vector<NamedTensor>& weights) {
  require_compiled();
  const auto shapes = parameter_shapes();
  if (weights.size() != shapes.size())
    throw InputError("model " + spec_.name + " has " + std::to_string(shapes.size()) + " weight tensors, not " +
                     std::to_string(weights.size()));
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (weights[i].name != shapes[i].first || weights[i].shape != shapes[i].second)
      throw InputError("weight tensor " + std::to_string(i) + " is " + weights[i].name + " (" +
                       to_string(weights[i].shape) + "), model " + spec_.name + " has " + shapes[i].first + " (" +
                       to_string(shapes[i].second) + ") there");
  for (const NamedTensor& tensor : weights) state_->write(tensor.name, tensor.values);
}

std::string Sequential::weights_digest() {
  Sha256 hash;
  for (const NamedTensor& tensor : weights()) {
    const std::string header = tensor.name + " " + to_string(tensor.shape) + "\n";
    hash.add(std::as_bytes(std::span(header)));
    hash.add(std::as_bytes(std::span(tensor.values)));
  }
  return hash.finish();
}

}  // namespace heddle
