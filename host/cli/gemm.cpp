#include "host/executor/gemm.h"

#include <fmt/format.h>

#include <bit>

#include "common/error.h"
#include "host/cli/commands.h"
#include "host/cli/counters.h"
#include "host/cli/json_object.h"
#include "host/data/test_patterns.h"
#include "host/reference/gemm.h"

namespace heddle::cli {
namespace {

std::uint64_t mismatches(const std::vector<float>& c, const std::vector<std::uint32_t>& expected) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < c.size(); ++i) count += std::bit_cast<std::uint32_t>(c[i]) != expected[i] ? 1 : 0;
  return count;
}

void report(const GemmArguments& arguments, const driver::Device& device, const driver::Counters& counters,
            std::optional<bool> exact) {
  const std::uint64_t cycles = counters.cycles;
  const auto& shape = arguments.shape;
  const std::uint64_t macs = shape.m * shape.n * shape.k;
  const auto used = utilisation(macs, cycles, device.config());
  if (arguments.json)
    return JsonObject()
        .add("m", shape.m)
        .add("n", shape.n)
        .add("k", shape.k)
        .add("device", device.info().name)
        .add("rows", config::kRows)
        .add("cols", device.config().cols)
        .add("cycles", used ? std::optional(cycles) : std::nullopt)
        .add("macs", macs)
        .add("utilisation", used)
        .add("exact", exact)
        .print();
  fmt::print("{} x {} x {} on {} ({} x {} array)\n", shape.m, shape.n, shape.k, device.info().name, config::kRows,
             device.config().cols);
  if (used)
    fmt::print("{} cycles, {:.2f} % of the array, {:.1f} us at {} MHz\n", cycles, 100 * *used,
               static_cast<double>(cycles) / device.config().mhz, device.config().mhz);
  if (used) print_counters(counters);
  if (exact.value_or(false)) fmt::print("exact\n");
}

}  // namespace

void run(const GemmArguments& arguments) {
  const auto& shape = arguments.shape;
  const auto device = arguments.device.open();
  const Pattern pattern = arguments.data == "random" ? Pattern::random : Pattern::adversarial;
  const auto a = test_pattern(pattern, shape.transpose_a ? shape.k : shape.m, shape.transpose_a ? shape.m : shape.k,
                              arguments.seed, 0);
  const auto b = test_pattern(pattern, shape.transpose_b ? shape.n : shape.k, shape.transpose_b ? shape.k : shape.n,
                              arguments.seed, 1);
  const GemmResult result = run_gemm(*device, shape, a, b);
  const std::uint64_t wrong = arguments.check ? mismatches(result.c, reference::gemm(shape, a, b)) : 0;
  report(arguments, *device, result.counters, arguments.check ? std::optional(wrong == 0) : std::nullopt);
  if (wrong > 0)
    throw DeviceError(fmt::format("{} of {} elements differ from the reference; replay with --seed {} --data {}", wrong,
                                  result.c.size(), arguments.seed, arguments.data));
}

}  // namespace heddle::cli
