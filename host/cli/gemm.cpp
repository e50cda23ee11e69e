#include "host/executor/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/error.h"
#include "host/cli/commands.h"
#include "host/data/test_patterns.h"
#include "host/reference/gemm.h"

namespace heddle::cli {
namespace {

struct Options {
  compiler::GemmShape shape;
  DeviceChoice device;
  std::uint64_t seed = 1;
  std::string data = "random";
  bool check = false;
  bool json = false;
};

std::uint64_t mismatches(const std::vector<float>& c, const std::vector<std::uint32_t>& expected) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < c.size(); ++i) count += std::bit_cast<std::uint32_t>(c[i]) != expected[i] ? 1 : 0;
  return count;
}

void report(const Options& options, const driver::Device& device, std::uint64_t cycles, std::uint64_t macs,
            std::optional<std::uint64_t> wrong) {
  const auto& shape = options.shape;
  const Json used = utilisation(macs, cycles, device.config());
  if (options.json)
    return print_json({{"m", shape.m},
                       {"n", shape.n},
                       {"k", shape.k},
                       {"device", device.info().name},
                       {"rows", config::kRows},
                       {"cols", device.config().cols},
                       {"cycles", cycles_or_null(cycles)},
                       {"macs", macs},
                       {"utilisation", used},
                       {"exact", wrong ? Json(*wrong == 0) : Json(nullptr)}});
  fmt::print("{} x {} x {} on {} ({} x {} array)\n", shape.m, shape.n, shape.k, device.info().name, config::kRows,
             device.config().cols);
  if (cycles > 0)
    fmt::print("{} cycles, {:.2f} % of the array, {:.1f} us at {} MHz\n", cycles, 100 * used.get<double>(),
               static_cast<double>(cycles) / device.config().mhz, device.config().mhz);
  if (wrong && *wrong == 0) fmt::print("exact\n");
}

void run(const Options& options) {
  const auto& shape = options.shape;
  const auto device = options.device.open();
  const Pattern pattern = options.data == "random" ? Pattern::random : Pattern::adversarial;
  const auto a = test_pattern(pattern, shape.transpose_a ? shape.k : shape.m, shape.transpose_a ? shape.m : shape.k,
                              options.seed, 0);
  const auto b = test_pattern(pattern, shape.transpose_b ? shape.n : shape.k, shape.transpose_b ? shape.k : shape.n,
                              options.seed, 1);
  const GemmResult result = run_gemm(*device, shape, a, b);
  std::optional<std::uint64_t> wrong;
  if (options.check) wrong = mismatches(result.c, reference::gemm(shape, a, b));
  report(options, *device, result.counters.cycles, shape.m * shape.n * shape.k, wrong);
  if (wrong.value_or(0) > 0)
    throw DeviceError(fmt::format("{} of {} elements differ from the reference; replay with --seed {} --data {}",
                                  *wrong, result.c.size(), options.seed, options.data));
}

}  // namespace

Command add_gemm(CLI::App& app) {
  constexpr std::uint64_t kSizeLimit = std::uint64_t{1} << 24;
  auto options = std::make_shared<Options>();
  const auto size = CLI::Range(std::uint64_t{0}, kSizeLimit);
  app.add_option("--m", options->shape.m, "rows of A and C")->required()->check(size);
  app.add_option("--n", options->shape.n, "columns of B and C")->required()->check(size);
  app.add_option("--k", options->shape.k, "columns of A, rows of B")->required()->check(size);
  app.add_flag("--ta", options->shape.transpose_a, "A is stored transposed, k x m");
  app.add_flag("--tb", options->shape.transpose_b, "B is stored transposed, n x k");
  app.add_option("--seed", options->seed, "of the operands")->capture_default_str();
  app.add_option("--data", options->data, "the operands' values")
      ->check(CLI::IsMember({"random", "adversarial"}))
      ->capture_default_str();
  app.add_flag("--check", options->check, "compare every bit with a plain reference");
  options->device.add_to(app, "verilated");
  add_json(app, options->json);
  return [options] { run(*options); };
}

}  // namespace heddle::cli
