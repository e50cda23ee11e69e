#include "host/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "host/cli/output.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kLineEvery = std::chrono::seconds(10);
constexpr std::size_t kBarWidth = 24;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string bar(std::uint64_t done, std::uint64_t all) {
  const auto filled = static_cast<std::size_t>(kBarWidth * done / std::max<std::uint64_t>(all, 1));
  return "[" + std::string(filled, '=') + std::string(kBarWidth - filled, '.') + "]";
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(const config::Config& config, bool quiet)
    : config_(config), quiet_(quiet), terminal_(isatty(STDOUT_FILENO) != 0), start_(Clock::now()), shown_(start_) {}

void Progress::step(const StepReport& report, std::uint64_t macs) {
  samples_ += report.batch;
  cycles_ += report.counters.cycles;
  macs_ += macs;
  if (quiet_) return;
  const auto now = Clock::now();
  const bool last = report.step == report.steps;
  if (!last && now - shown_ < (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLineEvery))) return;
  shown_ = now;
  if (terminal_)
    print("\r\033[K{} {}", bar(report.step, report.steps), line(report));
  else
    print("{}\n", line(report));
  flush_output();
}

std::string Progress::line(const StepReport& report) const {
  const double elapsed = since(start_);
  std::string text =
      fmt::format("step {}/{}  epoch {}  loss {:.4f}  accuracy {:.2f} %  {:.0f} samples/s", report.step, report.steps,
                  report.epoch, report.loss, 100 * report.accuracy, static_cast<double>(samples_) / elapsed);
  if (cycles_ > 0)
    text +=
        fmt::format("  {} cycles/step  {:.1f} % of the array", cycles_ / report.step,
                    100.0 * static_cast<double>(macs_) / (static_cast<double>(cycles_) * config::kRows * config_.cols));
  const double left = elapsed / static_cast<double>(report.step) * static_cast<double>(report.steps - report.step);
  return text + "  ETA " + duration(left);
}

void Progress::finish() {
  if (!quiet_ && terminal_) print("\n");
}

double Progress::seconds() const { return since(start_); }

}  // namespace heddle::cli
