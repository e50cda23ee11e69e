#include <fmt/format.h>

#include "common/error.h"
#include "host/api/model_file.h"
#include "host/cli/commands.h"
#include "host/cli/progress.h"
#include "host/data/recipes.h"

namespace heddle::cli {
namespace {

struct TrainOptions {
  std::string model;
  std::string data;
  DeviceChoice device;
  std::uint64_t epochs = 1;
  std::uint64_t steps = 0;
  std::optional<std::uint64_t> batch_size;
  std::optional<float> learning_rate;
  std::uint64_t seed = 1;
  std::string save;
  bool json = false;
};

void announce(const TrainOptions& options, const Sequential& model, const DataSplits& data,
              const driver::Device& device) {
  if (options.json) return;
  fmt::print("{} ({} parameters) on {}: {} training and {} test samples\n", model.spec().name, model.parameters(),
             data.name, data.train.count, data.test.count);
  fmt::print("device {} ({}), configuration {}\n", device.info().name, device.info().detail, device.config().name);
}

Json summary(const TrainOptions& options, Sequential& model, const driver::Device& device, const History& history,
             const Evaluation& test, double seconds) {
  return {{"model", model.spec().name},
          {"data", options.data},
          {"device", device.info().name},
          {"steps", history.steps},
          {"epochs", history.epochs.size()},
          {"train_loss", history.epochs.empty() ? Json(nullptr) : Json(history.epochs.back().loss)},
          {"test_accuracy", test.accuracy},
          {"weights_digest", model.weights_digest()},
          {"cycles_per_step", history.steps == 0 ? Json(nullptr) : cycles_or_null(history.cycles / history.steps)},
          {"utilisation", utilisation(history.macs, history.cycles, device.config())},
          {"samples_per_second", seconds > 0 ? Json(static_cast<double>(history.samples) / seconds) : Json(nullptr)}};
}

void print_summary(const Json& s, const config::Config& config) {
  if (!s["train_loss"].is_null())
    fmt::print("loss           {:.4f} (mean of the last epoch)\n", s["train_loss"].get<double>());
  fmt::print("test accuracy  {:.2f} %\n", 100 * s["test_accuracy"].get<double>());
  if (!s["cycles_per_step"].is_null()) {
    const auto cycles = s["cycles_per_step"].get<std::uint64_t>();
    fmt::print("cycles/step    {} ({:.1f} us at {} MHz)\n", cycles, static_cast<double>(cycles) / config.mhz,
               config.mhz);
    fmt::print("utilisation    {:.2f} % of the array\n", 100 * s["utilisation"].get<double>());
  }
  fmt::print("weights        {}\n", s["weights_digest"].get<std::string>());
}

void train(const TrainOptions& options) {
  ModelDescription description = read_model(options.model);
  if (options.learning_rate) description.optimizer.learning_rate = *options.learning_rate;
  const DataSplits data = load_data(options.data);
  const auto device = options.device.open();
  Sequential model = make_model(description);
  model.compile(*device, description.optimizer, description.loss, {.seed = options.seed});
  announce(options, model, data, *device);

  Progress progress(device->config(), options.json);
  FitOptions fit;
  fit.batch_size = options.batch_size.value_or(description.batch_size);
  fit.epochs = options.epochs;
  fit.max_steps = options.steps;
  fit.on_step = [&](const StepReport& report) { progress.step(report, model.training_macs(report.batch)); };
  const History history = model.fit(data.train, fit);
  const double seconds = progress.seconds();
  progress.finish();

  const Evaluation test = model.evaluate(data.test, fit.batch_size);
  if (!options.save.empty()) write_weights(options.save, model.weights());
  const Json result = summary(options, model, *device, history, test, seconds);
  options.json ? print_json(result) : print_summary(result, device->config());
}

struct EvalOptions {
  std::string model;
  std::string weights;
  std::string data;
  DeviceChoice device;
  std::optional<std::uint64_t> batch_size;
  bool json = false;
};

void eval(const EvalOptions& options) {
  const ModelDescription description = read_model(options.model);
  const std::vector<NamedTensor> weights = read_weights(options.weights);
  const DataSplits data = load_data(options.data);
  const auto device = options.device.open();
  Sequential model = make_model(description);
  model.compile(*device, description.optimizer, description.loss, {});
  model.set_weights(weights);
  const Evaluation test = model.evaluate(data.test, options.batch_size.value_or(description.batch_size));
  if (options.json)
    return print_json({{"model", model.spec().name},
                       {"data", options.data},
                       {"device", device->info().name},
                       {"samples", test.samples},
                       {"test_loss", test.loss},
                       {"test_accuracy", test.accuracy},
                       {"weights_digest", model.weights_digest()}});
  fmt::print("{} on the {} test samples of {}: loss {:.4f}, accuracy {:.2f} %\n", model.spec().name, test.samples,
             data.name, test.loss, 100 * test.accuracy);
}

constexpr char kDataHelp[] = "fashion-mnist, mnist, or a directory with the four IDX files";

}  // namespace

Command add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  app.add_option("model", options->model, "model description (JSON)")->required();
  app.add_option("--data", options->data, kDataHelp)->required();
  app.add_option("--epochs", options->epochs, "passes over the training samples")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--steps", options->steps, "stop after this many steps")->check(CLI::PositiveNumber);
  app.add_option("--batch-size", options->batch_size, "samples of a step; default: the model's")
      ->check(CLI::PositiveNumber);
  app.add_option("--learning-rate", options->learning_rate, "default: the model's")->check(CLI::NonNegativeNumber);
  app.add_option("--seed", options->seed, "of weights and order")->capture_default_str();
  app.add_option("--save", options->save, "write the weights to this file (safetensors)");
  options->device.add_to(app, "verilated");
  add_json(app, options->json);
  return [options] { train(*options); };
}

Command add_eval(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  app.add_option("model", options->model, "model description (JSON)")->required();
  app.add_option("--weights", options->weights, "weights that train --save wrote")->required();
  app.add_option("--data", options->data, kDataHelp)->required();
  app.add_option("--batch-size", options->batch_size, "samples of a step; default: the model's")
      ->check(CLI::PositiveNumber);
  options->device.add_to(app, "functional");
  add_json(app, options->json);
  return [options] { eval(*options); };
}

}  // namespace heddle::cli
