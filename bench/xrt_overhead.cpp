// What XRT adds to a run and to a transfer: xrt_overhead [CONFIGURATION]. The same calls on the in-process RTL and on
// an emulated board. Shows the cost of the way there, not of a card: both ends are processes of this machine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "common/error.h"
#include "driver/device_factory.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

template <typename Action>
double milliseconds(Action&& action) {
  const Clock::time_point start = Clock::now();
  action();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

template <typename Action>
std::vector<double> sorted_times(int count, Action&& action) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(milliseconds(action));
  std::sort(times.begin(), times.end());
  return times;
}

void measure_runs(driver::Device& device) {
  const isa::Word halt = isa::encode(isa::Halt{});
  driver::Launch launch;
  launch.program = device.allocate(sizeof halt, 0);
  device.write(*launch.program, 0, std::as_bytes(std::span(&halt, 1)));
  launch.words = 1;
  constexpr int kRuns = 500;
  const auto times = sorted_times(kRuns, [&] { device.run(launch); });
  fmt::print("  run of HALT: least {:.3f} ms, median {:.3f} ms, of 20 the second longest {:.3f} ms\n", times.front(),
             times[kRuns / 2], times[kRuns * 95 / 100]);
}

void measure_transfers(driver::Device& device, std::size_t bytes) {
  const auto buffer = device.allocate(bytes, 1 % device.config().axi_ports);
  std::vector<std::byte> host(bytes, std::byte{1});
  const auto print = [&](const char* what, const std::vector<double>& times) {
    fmt::print("  {} of {} KiB: median {:.0f} MB/s, best {:.0f} MB/s\n", what, bytes >> 10,
               static_cast<double>(bytes) / 1e3 / times[times.size() / 2],
               static_cast<double>(bytes) / 1e3 / times.front());
  };
  print("write", sorted_times(9, [&] { device.write(*buffer, 0, host); }));
  print("read", sorted_times(9, [&] { device.read(*buffer, 0, host); }));
}

void measure(const std::string& name, const config::Config& config) {
  std::unique_ptr<driver::Device> device;
  const double opening = milliseconds([&] { device = driver::open_device(name, config); });
  fmt::print("{}: open in {:.0f} ms; {}\n", name, opening, device->info().detail);
  measure_runs(*device);
  for (std::size_t bytes : {std::size_t{64} << 10, std::size_t{8} << 20}) measure_transfers(*device, bytes);
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  try {
    const auto config = heddle::config::load(argc > 1 ? argv[1] : "sim");
    for (const char* device : {"verilated", "xrt"}) heddle::measure(device, config);
  } catch (const heddle::Error& error) {
    fmt::print(stderr, "xrt_overhead: {}\n", error.what());
    return 1;
  }
}
