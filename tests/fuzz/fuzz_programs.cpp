// fuzz_programs: random legal and corrupted programs on the functional model and on something else. Ends with 1 at the
// first difference and prints how to see it again.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/fuzz/compare.h"

namespace {

using namespace heddle;

// Each group of programs meets its own back-pressure, none in every fourth.
unsigned stall_of(int requested, std::uint64_t seed) {
  static constexpr unsigned kPercent[] = {0, 10, 30, 60};
  return requested >= 0 ? static_cast<unsigned>(requested) : kPercent[seed % 4];
}

fuzz::SubjectMaker maker_of(const std::string& against, int stall) {
  if (against == "plain")
    return [](const config::Config& config, const sim::SlotLines& slots, std::uint64_t) {
      return fuzz::plain_subject(config, slots);
    };
  return [against, stall](const config::Config& config, const sim::SlotLines& slots, std::uint64_t seed) {
    return fuzz::device_subject(against, config, slots, stall_of(stall, seed), seed);
  };
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Compares the functional model with the plain reference or with a device on random programs"};
  fuzz::Options options;
  std::string config = "tiny";
  std::string against = "plain";
  int stall = -1;
  app.add_option("--against", against, "plain, or a device: verilated, functional")->capture_default_str();
  app.add_option("--config", config, "preset or file")->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the first group of programs")->capture_default_str();
  app.add_option("--count", options.count, "programs")->capture_default_str();
  app.add_option("--corrupt", options.corrupt_percent, "percent of damaged programs")->capture_default_str();
  app.add_option("--stall", stall, "percent of random back-pressure; default: differs from group to group");
  CLI11_PARSE(app, argc, argv);
  try {
    options.config = config::load(config);
    const auto functional = [](const config::Config& c, const sim::SlotLines& slots, std::uint64_t) {
      return fuzz::functional_subject(c, slots);
    };
    const fuzz::Report report = fuzz::compare(options, functional, maker_of(against, stall));
    std::printf("%llu programs, %llu words, %llu ended with an error\n",
                static_cast<unsigned long long>(report.programs), static_cast<unsigned long long>(report.words),
                static_cast<unsigned long long>(report.faulting));
    if (report.mismatch.empty()) return 0;
    std::printf("MISMATCH: %s\nreplay: fuzz_programs --against %s --config %s --seed %llu --count %llu --corrupt %u",
                report.mismatch.c_str(), against.c_str(), config.c_str(),
                static_cast<unsigned long long>(report.replay_seed),
                static_cast<unsigned long long>(report.replay_count), options.corrupt_percent);
    std::printf(stall >= 0 ? " --stall %d\n" : "\n", stall);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_programs: %s\n", error.what());
  }
  return 1;
}
