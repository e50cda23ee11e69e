// fuzz_programs: random legal and corrupted programs on two machines. Ends with 1 at the first difference and prints
// how to see it again.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/fuzz/compare.h"

int main(int argc, char** argv) {
  using namespace heddle;
  CLI::App app{"Compares the functional model with the plain reference on random programs"};
  fuzz::Options options;
  std::string config = "tiny";
  app.add_option("--config", config, "preset or file")->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the first group of programs")->capture_default_str();
  app.add_option("--count", options.count, "programs")->capture_default_str();
  app.add_option("--corrupt", options.corrupt_percent, "percent of damaged programs")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    options.config = config::load(config);
    const fuzz::Report report = fuzz::compare(options, fuzz::functional_subject, fuzz::plain_subject);
    std::printf("%llu programs, %llu words, %llu ended with an error\n",
                static_cast<unsigned long long>(report.programs), static_cast<unsigned long long>(report.words),
                static_cast<unsigned long long>(report.faulting));
    if (report.mismatch.empty()) return 0;
    std::printf("MISMATCH: %s\nreplay: fuzz_programs --config %s --seed %llu --count %llu --corrupt %u\n",
                report.mismatch.c_str(), config.c_str(), static_cast<unsigned long long>(report.replay_seed),
                static_cast<unsigned long long>(report.replay_count), options.corrupt_percent);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_programs: %s\n", error.what());
  }
  return 1;
}
