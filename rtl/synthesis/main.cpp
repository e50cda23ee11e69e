// heddle-synthesis: synthesises every unit with Yosys at the size that the kernel on each card gives it, prints what it
// takes and how deep its logic is, and adds that up for every card. All of it is an estimate: nothing is placed or
// routed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "common/error.h"
#include "rtl/synthesis/cores.h"

namespace heddle::synthesis {
namespace {

void print_units(const Result& result) {
  fmt::print("{:<36} {:>9} {:>8} {:>8} {:>5} {:>7} {:>5} {:>7}\n", "unit (Yosys, xcup; estimate)", "functions", "LUT",
             "FF", "DSP", "BRAM36", "URAM", "levels");
  for (const Sized& sized : result.units) {
    const Resources& resources = sized.report.resources;
    fmt::print("{:<36} {:>9} {:>8} {:>8} {:>5} {:>7.1f} {:>5} {:>7}\n", sized.unit->name, resources.functions,
               resources.lut, resources.ff, resources.dsp, resources.bram36, resources.uram, sized.report.levels());
  }
  fmt::print("\nparameters, as the kernel on the cards has them\n");
  for (const Sized& sized : result.units) {
    if (sized.parameters.empty()) continue;
    fmt::print("{:<36}", sized.unit->name);
    for (const auto& [name, value] : sized.parameters) fmt::print(" {}={}", name, value);
    fmt::print("\n");
  }
}

void print_steps(const Path& path) {
  for (const Step& step : path.steps)
    fmt::print("  {:>3} {:<10} {}\n", step.levels, step.through.empty() ? "start" : step.through, step.net);
  fmt::print("      to {}\n", path.to);
}

// Paths beyond the limit, step by step if asked for; gives whether each has its reason.
bool print_long_paths(const Plan& plan, const Result& result, bool with_steps) {
  bool explained = true;
  for (const Sized& sized : result.units) {
    if (sized.report.levels() <= plan.max_levels) continue;
    const std::string& reason = sized.unit->reason;
    const Path& longest = sized.report.paths.front();
    fmt::print("{}: {} levels from {} to {}: {}\n", sized.unit->name, longest.levels, longest.steps.front().net,
               longest.to, reason.empty() ? "NO REASON LISTED" : reason);
    explained = explained && !reason.empty();
    if (!with_steps) continue;
    for (const Path& path : sized.report.paths)
      if (path.levels > plan.max_levels) print_steps(path);
  }
  return explained;
}

// The cores on a card; gives whether every card's budget holds.
bool print_cards(const Plan& plan, const Result& result) {
  bool fits = true;
  fmt::print("\n{:<8} {:>5} {:>5} {:>16} {:>16} {:>14} {:>13} {:>12}\n", "card", "cores", "cols", "LUT with shell",
             "FF", "DSP", "BRAM36", "URAM");
  for (const Placed& placed : result.cards) {
    const Card& card = *placed.card;
    double lut = 0, ff = 0, dsp = 0, bram = 0, uram = 0;
    for (const std::size_t index : placed.units) {
      const Resources& resources = result.units[index].report.resources;
      lut += static_cast<double>(resources.lut);
      ff += static_cast<double>(resources.ff);
      dsp += static_cast<double>(resources.dsp);
      bram += resources.bram36;
      uram += static_cast<double>(resources.uram);
    }
    for (double* sum : {&lut, &ff, &dsp, &bram, &uram}) *sum *= placed.config.cores;
    lut += static_cast<double>(card.shell_lut);
    const auto share = [](double used, std::uint64_t all) { return 100 * used / static_cast<double>(all); };
    fmt::print(
        "{:<8} {:>5} {:>5} {:>9.0f} ({:>3.0f}%) {:>9.0f} ({:>3.0f}%) {:>7.0f} ({:>3.0f}%) {:>6.0f} ({:>3.0f}%) "
        "{:>5.0f} "
        "({:>3.0f}%)\n",
        card.preset, placed.config.cores, placed.config.cols, lut, share(lut, card.lut), ff, share(ff, card.ff), dsp,
        share(dsp, card.dsp), bram, share(bram, card.bram36), uram, share(uram, card.uram));
    fits = fits && share(lut, card.lut) <= 100 * plan.max_share && share(dsp, card.dsp) <= 100 * plan.max_share &&
           bram <= static_cast<double>(card.bram36) && uram <= static_cast<double>(card.uram);
  }
  if (!fits) fmt::print("a card's budget of {:.0f} % LUT or DSP, or its memory, is exceeded\n", 100 * plan.max_share);
  return fits;
}

int run(const Options& options, bool with_steps) {
  const Plan plan = load_plan(options.source / "rtl/synthesis/units.toml");
  for (const std::string& name : options.only)
    if (std::ranges::none_of(plan.units, [&](const Unit& unit) { return unit.top == name; }))
      throw InputError("--only " + name + ": no unit of rtl/synthesis/units.toml");
  std::filesystem::create_directories(options.work);
  const Result result = synthesise_cores(plan, options);
  print_units(result);
  const bool explained = print_long_paths(plan, result, with_steps);
  const bool fits = !options.only.empty() || print_cards(plan, result);
  return explained && fits ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace heddle::synthesis

int main(int argc, char** argv) {
  heddle::synthesis::Options options;
  options.source = HEDDLE_SOURCE_DIR;
  options.generated = HEDDLE_GENERATED_DIR;
  bool with_steps = false;
  CLI::App app{"Synthesises every unit with Yosys and scales the result to the cards (estimates)"};
  app.add_option("--work", options.work, "folder for scripts, netlists and logs");
  app.add_option("--only", options.only, "top modules to look at, instead of all");
  app.add_flag("--reuse", options.reuse, "keep netlists that are there");
  app.add_flag("--path", with_steps, "list the nets of every path that is longer than the limit");
  CLI11_PARSE(app, argc, argv);
  try {
    return heddle::synthesis::run(options, with_steps);
  } catch (const heddle::Error& error) {
    std::cerr << "heddle-synthesis: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
