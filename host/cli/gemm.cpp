#include "host/executor/gemm.h"

#include <fmt/format.h>

#include <numeric>

#include "common/error.h"
#include "common/memory.h"
#include "host/cli/commands.h"
#include "host/cli/counters.h"
#include "host/cli/json_object.h"
#include "host/cli/output.h"
#include "host/data/test_patterns.h"
#include "host/reference/comparison.h"

namespace heddle::cli {
namespace {

struct Operands {
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
};

// Those of product `index` of the batch.
Operands make_operands(const GemmArguments& arguments, std::uint64_t index) {
  const auto& s = arguments.shape;
  const Pattern pattern = arguments.data == "random" ? Pattern::random : Pattern::adversarial;
  return {test_pattern(pattern, s.transpose_a ? s.k : s.m, s.transpose_a ? s.m : s.k, arguments.seed, 2 * index),
          test_pattern(pattern, s.transpose_b ? s.n : s.k, s.transpose_b ? s.k : s.n, arguments.seed, 2 * index + 1)};
}

// What all products of the batch came to.
struct Totals {
  driver::Counters counters;
  std::uint64_t macs = 0;
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  std::string first_wrong;
};

void check(const GemmArguments& arguments, const Operands& operands, const std::vector<float>& c, std::uint64_t index,
           Totals& totals) {
  const auto coverage = arguments.check == "all" ? reference::Coverage::all : reference::Coverage::sampled;
  const reference::Gemm expected(arguments.shape, operands.a, operands.b);
  const reference::Comparison comparison = reference::compare(c, expected, coverage, arguments.seed + index);
  totals.checked += comparison.checked;
  totals.wrong += comparison.wrong;
  if (!comparison.first || !totals.first_wrong.empty()) return;
  const reference::Difference& d = *comparison.first;
  totals.first_wrong = fmt::format("product {}, row {}, column {}: {:08x} instead of {:08x}", index, d.row, d.column,
                                   d.found, d.expected);
}

// A, B and C on the host, and A and B as the reference keeps them.
std::uint64_t host_bytes(const GemmArguments& arguments) {
  const auto& s = arguments.shape;
  const std::uint64_t operands = sizeof(std::uint16_t) * (s.m * s.k + s.k * s.n);
  return (arguments.check.empty() ? 1 : 2) * operands + sizeof(float) * s.m * s.n;
}

compiler::GemmProgram compile(const GemmArguments& arguments, const driver::Device& device) {
  require_memory(host_bytes(arguments), "the matrices take");  // before a program for them is thought about
  compiler::GemmProgram program = compiler::compile_gemm(arguments.shape, device.config());
  const auto& lines = program.program.slot_lines;
  const std::uint64_t device_lines = std::accumulate(lines.begin(), lines.end(), std::uint64_t{0});
  require_memory(host_bytes(arguments) + driver::kLineBytes * device_lines, "the matrices on host and device take");
  return program;
}

Totals run_batch(const GemmArguments& arguments, driver::Device& device) {
  const auto& shape = arguments.shape;
  Totals totals;
  if (arguments.batch == 0) return totals;
  GemmRunner runner(device, compile(arguments, device));
  for (std::uint64_t index = 0; index < arguments.batch; ++index) {
    const Operands operands = make_operands(arguments, index);
    const GemmResult result = runner.run(operands.a, operands.b);
    totals.counters += result.counters;
    totals.macs += shape.m * shape.n * shape.k;
    if (!arguments.check.empty()) check(arguments, operands, result.c, index, totals);
  }
  return totals;
}

void print_json(const GemmArguments& arguments, const driver::Device& device, const Totals& totals) {
  const auto used = utilisation(totals.macs, totals.counters.cycles, device.config());
  const bool checked = !arguments.check.empty();
  JsonObject()
      .add("m", arguments.shape.m)
      .add("n", arguments.shape.n)
      .add("k", arguments.shape.k)
      .add("batch", arguments.batch)
      .add("device", device.info().name)
      .add("rows", config::kRows)
      .add("cols", device.config().cols)
      .add("cycles", used ? std::optional(totals.counters.cycles) : std::nullopt)
      .add("macs", totals.macs)
      .add("utilisation", used)
      .add("exact", checked ? std::optional(totals.wrong == 0) : std::nullopt)
      .add("checked", checked ? std::optional(totals.checked) : std::nullopt)
      .print();
}

void print_text(const GemmArguments& arguments, const driver::Device& device, const Totals& totals) {
  const auto& shape = arguments.shape;
  const std::uint64_t cycles = totals.counters.cycles;
  const auto& config = device.config();
  if (arguments.batch != 1) print("{} products of ", arguments.batch);
  print("{} x {} x {} on {} ({} x {} array)\n", shape.m, shape.n, shape.k, device.info().name, config::kRows,
        config.cols);
  if (const auto used = utilisation(totals.macs, cycles, config)) {
    print("{} cycles, {:.2f} % of the array, {:.1f} us at {} MHz\n", cycles, 100 * *used,
          static_cast<double>(cycles) / config.mhz, config.mhz);
    print_counters(totals.counters);
  }
  if (arguments.check.empty() || totals.wrong > 0) return;
  if (arguments.check == "all")
    print("exact\n");
  else
    print("exact in all {} elements of the sample\n", totals.checked);
}

}  // namespace

void run(const GemmArguments& arguments) {
  const auto device = arguments.device.open();
  const Totals totals = run_batch(arguments, *device);
  if (arguments.json)
    print_json(arguments, *device, totals);
  else
    print_text(arguments, *device, totals);
  if (totals.wrong > 0)
    throw DeviceError(
        fmt::format("{} of {} elements differ from the reference, first {}; replay with --seed {} --data {}",
                    totals.wrong, totals.checked, totals.first_wrong, arguments.seed, arguments.data));
}

}  // namespace heddle::cli
