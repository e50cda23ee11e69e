// An ordinary program of XRT's native API: loads an xclbin, runs a program on the core, and compares the result.
//
// It knows nothing of Heddle but the kernel's arguments (docs/design.md, section 8) and would run on a card as it is.
//     run_program XCLBIN CASE [--device N] [--runs N] [--limit MILLISECONDS]
// CASE is made by make_case: the program, and for each of the 16 slots what it holds before and after.
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<char>;
using Clock = std::chrono::steady_clock;

constexpr unsigned kSlots = 16, kLineBytes = 64, kWordBytes = 16;

struct Case {
  Bytes program;
  Bytes before[kSlots], after[kSlots];
};

std::uint64_t number(std::istream& file) {
  std::uint64_t value = 0;
  file.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

Bytes bytes(std::istream& file) {
  Bytes data(number(file));
  file.read(data.data(), static_cast<std::streamsize>(data.size()));
  return data;
}

Case load(const char* path) {
  std::ifstream file(path, std::ios::binary);
  Case loaded;
  loaded.program = bytes(file);
  for (unsigned s = 0; s < kSlots; ++s) {
    loaded.before[s] = bytes(file);
    loaded.after[s] = bytes(file);
  }
  if (!file) throw std::runtime_error(std::string("cannot read the case ") + path);
  return loaded;
}

// A buffer in the memory that argument `index` reaches, filled.
xrt::bo upload(xrt::device& device, xrt::kernel& kernel, int index, const Bytes& data) {
  xrt::bo buffer(device, data.size(), kernel.group_id(index));
  buffer.write(data.data());
  buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  return buffer;
}

struct Options {
  const char* xclbin = nullptr;
  const char* test_case = nullptr;
  unsigned device = 0, runs = 1;
  int limit = 20'000;  // milliseconds for one run
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--device" && i + 1 < argc)
      options.device = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (word == "--runs" && i + 1 < argc)
      options.runs = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (word == "--limit" && i + 1 < argc)
      options.limit = std::atoi(argv[++i]);
    else
      (options.xclbin == nullptr ? options.xclbin : options.test_case) = argv[i];
  }
  if (options.test_case == nullptr) throw std::runtime_error("two files are needed: an xclbin and a case");
  return options;
}

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

int run(const Options& options) {
  const Case test = load(options.test_case);
  Clock::time_point begin = Clock::now();
  xrt::device device(options.device);
  const xrt::uuid uuid = device.load_xclbin(options.xclbin);
  std::printf("loaded in %.0f ms\n", milliseconds_since(begin));
  xrt::kernel kernel(device, uuid, KERNEL_NAME);

  // Arguments: program, its words, watchdog; then base and lines of each slot.
  xrt::run run(kernel);
  const xrt::bo program = upload(device, kernel, 0, test.program);
  run.set_arg(0, program);
  run.set_arg(1, static_cast<std::uint32_t>(test.program.size() / kWordBytes));
  run.set_arg(2, std::uint32_t{0});
  std::vector<xrt::bo> slots(kSlots);
  for (unsigned s = 0; s < kSlots; ++s) {
    const Bytes& data = test.before[s];
    const int index = static_cast<int>(3 + 2 * s);
    slots[s] = upload(device, kernel, index, data.empty() ? Bytes(kLineBytes) : data);
    run.set_arg(index, slots[s]);
    run.set_arg(index + 1, static_cast<std::uint32_t>(data.size() / kLineBytes));
  }

  std::vector<double> times;
  for (unsigned i = 0; i < options.runs; ++i) {
    begin = Clock::now();
    run.start();
    if (run.wait(std::chrono::milliseconds(options.limit)) != ERT_CMD_STATE_COMPLETED) {
      throw std::runtime_error("the run did not complete within " + std::to_string(options.limit) + " ms");
    }
    times.push_back(milliseconds_since(begin));
  }
  std::sort(times.begin(), times.end());
  std::printf("run: median %.3f ms, fastest %.3f ms\n", times[times.size() / 2], times[0]);

  for (unsigned s = 0; s < kSlots; ++s) {
    if (test.after[s].empty()) continue;
    slots[s].sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    Bytes result(test.after[s].size());
    slots[s].read(result.data(), result.size(), 0);
    if (result != test.after[s]) {
      const auto at = std::mismatch(result.begin(), result.end(), test.after[s].begin()).first - result.begin();
      throw std::runtime_error("slot " + std::to_string(s) + " differs from byte " + std::to_string(at) + " on");
    }
  }
  std::printf("PASS\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& error) {
    std::printf("FAIL: %s\n", error.what());
    return 1;
  }
}
