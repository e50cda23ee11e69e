// An ordinary program of XRT's native API: loads an xclbin, runs a program on the core, and compares the result.
//
// It knows nothing of Heddle but the kernel's arguments (docs/design.md, section 8) and would run on a card as it is.
//     run_program XCLBIN CASE [--device N] [--boards N] [--runs N] [--cycles N] [--limit MILLISECONDS] [--sync BYTES]
// CASE is a file of case_file.h: the program, and for each of the 16 slots what it holds before and after.
#include <experimental/xrt_xclbin.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
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

struct Options {
  const char* xclbin = nullptr;
  const char* test_case = nullptr;
  unsigned device = 0;      // the first one
  unsigned boards = 1;      // at once, a thread each
  unsigned runs = 1;        // after each load
  unsigned cycles = 1;      // of open and close
  unsigned limit = 20'000;  // milliseconds for one run
  unsigned sync = 0;        // bytes of a buffer that is copied to the device and back; 0: none
};

Options parse(int argc, char** argv) {
  Options options;
  const struct {
    const char* name;
    unsigned& value;
  } numbers[]{{"--device", options.device}, {"--boards", options.boards}, {"--runs", options.runs},
              {"--cycles", options.cycles}, {"--limit", options.limit},   {"--sync", options.sync}};
  for (int i = 1; i < argc; ++i) {
    const auto number = std::find_if(std::begin(numbers), std::end(numbers),
                                     [&](const auto& n) { return std::strcmp(n.name, argv[i]) == 0; });
    if (number != std::end(numbers) && i + 1 < argc)
      number->value = static_cast<unsigned>(std::atoi(argv[++i]));
    else
      (options.xclbin == nullptr ? options.xclbin : options.test_case) = argv[i];
  }
  if (options.test_case == nullptr) throw std::runtime_error("two files are needed: an xclbin and a case");
  return options;
}

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A buffer in the memory that argument `index` reaches, filled.
xrt::bo upload(xrt::device& device, xrt::kernel& kernel, int index, const Bytes& data) {
  xrt::bo buffer(device, data.size(), kernel.group_id(index));
  buffer.write(data.data());
  buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  return buffer;
}

void compare(const Bytes& result, const Bytes& expected, unsigned slot) {
  if (result == expected) return;
  const auto at = std::mismatch(result.begin(), result.end(), expected.begin()).first - result.begin();
  throw std::runtime_error("slot " + std::to_string(slot) + " differs from byte " + std::to_string(at) + " on");
}

void time_sync(xrt::device& device, xrt::kernel& kernel, unsigned size) {
  Bytes data(size);
  for (unsigned i = 0; i < size; ++i) data[i] = static_cast<char>(i * 7 + i / 251);
  xrt::bo buffer(device, size, kernel.group_id(3));
  buffer.write(data.data());
  for (const auto direction : {XCL_BO_SYNC_BO_TO_DEVICE, XCL_BO_SYNC_BO_FROM_DEVICE}) {
    double best = 1e9;
    for (int i = 0; i < 25; ++i) {
      const auto begin = Clock::now();
      buffer.sync(direction);
      best = std::min(best, milliseconds_since(begin));
    }
    std::printf("sync %s: %.0f MB/s\n", direction == XCL_BO_SYNC_BO_TO_DEVICE ? "to" : "from", size / 1e3 / best);
  }
  Bytes back(size);
  buffer.read(back.data());
  compare(back, data, 0);
}

// Opens a device, runs the case, compares, and closes it.
void cycle(const Options& options, const Case& test, unsigned index) {
  Clock::time_point begin = Clock::now();
  xrt::device device(index);
  const xrt::xclbin xclbin{std::string(options.xclbin)};
  const xrt::uuid uuid = device.load_xclbin(xclbin);
  std::printf("board %u: loaded in %.0f ms\n", index, milliseconds_since(begin));
  xrt::kernel kernel(device, uuid, xclbin.get_kernels().at(0).get_name());

  // Arguments: program, its words, watchdog; then base and lines of each slot.
  xrt::run run(kernel);
  const xrt::bo program = upload(device, kernel, 0, test.program);
  run.set_arg(0, program);
  run.set_arg(1, static_cast<std::uint32_t>(test.program.size() / kWordBytes));
  run.set_arg(2, std::uint32_t{0});
  std::vector<xrt::bo> slots(kSlots);
  for (unsigned s = 0; s < kSlots; ++s) {
    const Bytes& data = test.before[s];
    const int argument = static_cast<int>(3 + 2 * s);
    slots[s] = upload(device, kernel, argument, data.empty() ? Bytes(kLineBytes) : data);
    run.set_arg(argument, slots[s]);
    run.set_arg(argument + 1, static_cast<std::uint32_t>(data.size() / kLineBytes));
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
  std::printf("board %u: run: median %.3f ms, fastest %.3f ms\n", index, times[times.size() / 2], times[0]);

  for (unsigned s = 0; s < kSlots; ++s) {
    if (test.after[s].empty()) continue;
    slots[s].sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    Bytes result(test.after[s].size());
    slots[s].read(result.data(), result.size(), 0);
    compare(result, test.after[s], s);
  }
  if (options.sync != 0) time_sync(device, kernel, options.sync);
}

long entries(const char* directory) {
  return std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator());
}

long resident_kib() {
  std::ifstream file("/proc/self/statm");
  long total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4;
}

// What a leak would raise.
void print_resources(unsigned cycle) {
  std::printf("after cycle %u: descriptors %ld threads %ld memory %ld KiB\n", cycle, entries("/proc/self/fd"),
              entries("/proc/self/task"), resident_kib());
}

bool run_board(const Options& options, const Case& test, unsigned index) {
  try {
    for (unsigned c = 1; c <= options.cycles; ++c) {
      cycle(options, test, index);
      if (options.cycles > 1 && (c == options.cycles / 10 || c == options.cycles)) print_resources(c);
    }
    return true;
  } catch (const std::exception& error) {
    std::printf("FAIL: board %u: %s\n", index, error.what());
    return false;
  }
}

int run(const Options& options) {
  const Case test = load(options.test_case);
  // The first device makes XRT start programs (chmod) while it loads its shim; that fails now and then among threads.
  { const xrt::device first(options.device); }
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (unsigned b = 1; b < options.boards; ++b) {
    threads.emplace_back([&, b] {
      if (!run_board(options, test, options.device + b)) good = false;
    });
  }
  if (!run_board(options, test, options.device)) good = false;
  for (std::thread& thread : threads) thread.join();
  if (good) std::printf("PASS\n");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& error) {
    std::printf("FAIL: %s\n", error.what());
    return 1;
  }
}
