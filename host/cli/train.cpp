#include "common/error.h"
#include "common/files.h"
#include "host/api/model_file.h"
#include "host/cli/commands.h"
#include "host/cli/counters.h"
#include "host/cli/json_object.h"
#include "host/cli/output.h"
#include "host/cli/progress.h"
#include "host/data/recipes.h"

namespace heddle::cli {
namespace {

void announce(const Sequential& model, const DataSplits& data, const driver::Device& device) {
  print("{} ({} parameters) on {}: {} training and {} test samples\n", model.spec().name, model.parameters(), data.name,
        data.train.count, data.test.count);
  print("device {} ({}), configuration {}\n", device.info().name, device.info().detail, device.config().name);
}

// What a run of training came to.
struct Summary {
  History history;
  Evaluation test;
  std::string digest;
  double seconds = 0;

  std::optional<double> train_loss() const {
    return history.epochs.empty() ? std::nullopt : std::optional(history.epochs.back().loss);
  }
  std::optional<std::uint64_t> cycles_per_step() const {
    return history.counters.cycles == 0 ? std::nullopt : std::optional(history.counters.cycles / history.steps);
  }
};

void print_json(const Summary& s, const TrainArguments& arguments, const std::string& model,
                const driver::Device& device) {
  JsonObject parts;
  for (const auto& [name, value] : device.info().parts) parts.add(name, value);
  JsonObject()
      .add("model", model)
      .add("data", arguments.data)
      .add("device", device.info().name)
      .add("device_detail", device.info().detail)
      .add("device_parts", parts)
      .add("steps", s.history.steps)
      .add("epochs", std::uint64_t{s.history.epochs.size()})
      .add("train_loss", s.train_loss())
      .add("test_accuracy", s.test.accuracy)
      .add("weights_digest", s.digest)
      .add("cycles_per_step", s.cycles_per_step())
      .add("utilisation", utilisation(s.history.macs, s.history.counters.cycles, device.config()))
      .add("samples_per_second", static_cast<double>(s.history.samples) / s.seconds)
      .print();
}

void print_text(const Summary& s, const driver::Device& device) {
  const config::Config& config = device.config();
  print("device         {}, {}\n", device.info().name, device.info().detail);
  for (const auto& [name, value] : device.info().parts) print("{:15}{}\n", name, value);
  if (s.train_loss()) print("loss           {:.4f} (mean of the last epoch)\n", *s.train_loss());
  print("test accuracy  {:.2f} %\n", 100 * s.test.accuracy);
  if (const auto cycles = s.cycles_per_step()) {
    print("cycles/step    {} ({:.1f} us at {} MHz)\n", *cycles, static_cast<double>(*cycles) / config.mhz, config.mhz);
    print("utilisation    {:.2f} % of the array\n",
          100 * utilisation(s.history.macs, s.history.counters.cycles, config).value_or(0));
    print_counters(s.history.counters);
  }
  print("weights        {}\n", s.digest);
}

}  // namespace

void run(const TrainArguments& arguments) {
  ModelDescription description = read_model(arguments.model);
  if (!arguments.save.empty()) {
    require_different(arguments.model, arguments.save);
    require_different(arguments.device.config, arguments.save);
    require_writable(arguments.save);
  }
  if (arguments.learning_rate) description.optimizer.learning_rate = *arguments.learning_rate;
  const DataSplits data = load_data(arguments.data);
  const auto device = arguments.device.open();
  Sequential model = make_model(description);
  model.compile(*device, description.optimizer, description.loss, {.seed = arguments.seed});
  if (!arguments.json) announce(model, data, *device);

  Progress progress(device->config(), arguments.json);
  FitOptions fit;
  fit.batch_size = arguments.batch_size.value_or(description.batch_size);
  fit.epochs = arguments.epochs.value_or(arguments.steps.value_or(1));  // an epoch has at least one step
  fit.max_steps = arguments.steps.value_or(0);
  fit.on_step = [&](const StepReport& report) { progress.step(report, model.training_macs(report.batch)); };
  Summary summary;
  summary.history = model.fit(data.train, fit);
  summary.seconds = progress.seconds();
  progress.finish();
  summary.test = model.evaluate(data.test, fit.batch_size);
  summary.digest = model.weights_digest();
  if (!arguments.save.empty()) write_weights(arguments.save, model.weights());
  if (arguments.json)
    print_json(summary, arguments, model.spec().name, *device);
  else
    print_text(summary, *device);
}

void run(const EvalArguments& arguments) {
  const ModelDescription description = read_model(arguments.model);
  const std::vector<NamedTensor> weights = read_weights(arguments.weights);
  const DataSplits data = load_data(arguments.data);
  const auto device = arguments.device.open();
  Sequential model = make_model(description);
  model.compile(*device, description.optimizer, description.loss, {});
  try {
    model.set_weights(weights);
  } catch (const InputError& error) {
    throw InputError(arguments.weights + ": " + error.what());
  }
  const Evaluation test = model.evaluate(data.test, arguments.batch_size.value_or(description.batch_size));
  if (arguments.json)
    return JsonObject()
        .add("model", model.spec().name)
        .add("data", arguments.data)
        .add("device", device->info().name)
        .add("samples", test.samples)
        .add("test_loss", test.loss)
        .add("test_accuracy", test.accuracy)
        .add("weights_digest", model.weights_digest())
        .print();
  print("{} on the {} test samples of {}: loss {:.4f}, accuracy {:.2f} %\n", model.spec().name, test.samples, data.name,
        test.loss, 100 * test.accuracy);
}

}  // namespace heddle::cli
