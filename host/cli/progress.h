// What a person sees while a model trains: a bar on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "config/config.h"
#include "host/api/sequential.h"

namespace heddle::cli {

class Progress {
 public:
  // `macs` of a step with `batch` samples, to scale; prints nothing if `quiet`.
  Progress(const config::Config& config, bool quiet);

  void step(const StepReport& report, std::uint64_t macs);
  void finish();
  double seconds() const;

 private:
  std::string line(const StepReport& report) const;

  config::Config config_;
  bool quiet_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_;
  std::uint64_t samples_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t macs_ = 0;
};

}  // namespace heddle::cli
