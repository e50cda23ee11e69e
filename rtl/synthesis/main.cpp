// heddle-synthesis: synthesises every unit with Yosys, prints what it takes and how deep its logic is, and scales that
// to every card. All of it is an estimate: nothing is placed or routed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "common/error.h"
#include "rtl/synthesis/netlist.h"
#include "rtl/synthesis/plan.h"

namespace heddle::synthesis {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path source = HEDDLE_SOURCE_DIR;
  fs::path generated = HEDDLE_GENERATED_DIR;  // packages
  fs::path work = "synthesis";
  std::vector<std::string> only;
  bool reuse = false;
  bool paths = false;
};

// Runs Yosys on one unit; gives the netlist's file.
fs::path synthesise(const Unit& unit, const Options& options) {
  const fs::path base = options.work / unit.top;
  const fs::path netlist = base.string() + ".json";
  if (options.reuse && fs::exists(netlist)) return netlist;
  const fs::path script = base.string() + ".ys";
  std::ofstream out(script);
  out << "read_verilog -sv -DSYNTHESIS";
  for (const std::string& define : unit.defines) out << " -D" << define;
  out << ' ' << (options.generated / "heddle_isa_pkg.sv").string() << ' '
      << (options.source / "rtl/common/heddle_pkg.sv").string();
  for (const std::string& source : unit.sources) out << ' ' << (options.source / source).string();
  out << '\n';
  for (const auto& [name, value] : unit.parameters)
    out << "chparam -set " << name << ' ' << value << ' ' << unit.top << '\n';
  out << "synth_xilinx -family xcup -flatten -noiopad -noclkbuf " << (unit.wide_luts ? "" : "-nowidelut ") << "-top "
      << unit.top << "\nwrite_json " << netlist.string() << '\n';
  out.close();
  const std::string log = base.string() + ".log";
  const std::string command = "yosys -q -l '" + log + "' '" + script.string() + "' > /dev/null 2>&1";
  if (std::system(command.c_str()) != 0) throw InputError("yosys failed on unit '" + unit.name + "': see " + log);
  return netlist;
}

void print_units(const Plan& plan, const std::vector<Report>& reports) {
  fmt::print("{:<46} {:>9} {:>8} {:>8} {:>5} {:>7} {:>5} {:>7}\n", "unit (Yosys, xcup; estimate)", "functions", "LUT",
             "FF", "DSP", "BRAM36", "URAM", "levels");
  for (std::size_t i = 0; i < plan.units.size(); ++i) {
    const Resources& resources = reports[i].resources;
    fmt::print("{:<46} {:>9} {:>8} {:>8} {:>5} {:>7.1f} {:>5} {:>7}\n", plan.units[i].name, resources.functions,
               resources.lut, resources.ff, resources.dsp, resources.bram36, resources.uram, reports[i].levels());
  }
}

void print_steps(const Path& path) {
  for (const Step& step : path.steps)
    fmt::print("  {:>3} {:<10} {}\n", step.levels, step.through.empty() ? "start" : step.through, step.net);
  fmt::print("      to {}\n", path.to);
}

// Paths beyond the limit, step by step if asked for; gives whether each has its reason.
bool print_long_paths(const Plan& plan, const std::vector<Report>& reports, bool with_steps) {
  bool explained = true;
  for (std::size_t i = 0; i < plan.units.size(); ++i) {
    if (reports[i].levels() <= plan.max_levels) continue;
    const std::string& reason = plan.units[i].reason;
    const Path& longest = reports[i].paths.front();
    fmt::print("{}: {} levels from {} to {}: {}\n", plan.units[i].name, longest.levels, longest.steps.front().net,
               longest.to, reason.empty() ? "NO REASON LISTED" : reason);
    explained = explained && !reason.empty();
    if (!with_steps) continue;
    for (const Path& path : reports[i].paths)
      if (path.levels > plan.max_levels) print_steps(path);
  }
  return explained;
}

// A core on a card; gives whether every card's budget holds.
bool print_cards(const Plan& plan, const std::vector<Report>& reports) {
  bool fits = true;
  fmt::print("\n{:<8} {:>5} {:>5} {:>16} {:>16} {:>14} {:>12}\n", "card", "cores", "cols", "LUT with shell", "FF",
             "DSP", "URAM");
  for (const Card& card : plan.cards) {
    const config::Config config = config::load(card.preset);
    double lut = 0, ff = 0, dsp = 0;
    for (std::size_t i = 0; i < plan.units.size(); ++i) {
      const double n = copies(plan.units[i], config);
      lut += n * static_cast<double>(reports[i].resources.lut);
      ff += n * static_cast<double>(reports[i].resources.ff);
      dsp += n * static_cast<double>(reports[i].resources.dsp);
    }
    lut = lut * config.cores + static_cast<double>(card.shell_lut);
    ff *= config.cores;
    dsp *= config.cores;
    const double uram = config.cores * config.ub_lines * 64.0 / 32768.0;  // 4096 words of 64 bit each
    const auto share = [](double used, std::uint64_t all) { return 100 * used / static_cast<double>(all); };
    fmt::print(
        "{:<8} {:>5} {:>5} {:>9.0f} ({:>3.0f}%) {:>9.0f} ({:>3.0f}%) {:>7.0f} ({:>3.0f}%) {:>5.0f} ({:>3.0f}%)\n",
        card.preset, config.cores, config.cols, lut, share(lut, card.lut), ff, share(ff, card.ff), dsp,
        share(dsp, card.dsp), uram, share(uram, card.uram));
    fits = fits && share(lut, card.lut) <= 100 * plan.max_share && share(dsp, card.dsp) <= 100 * plan.max_share &&
           uram <= static_cast<double>(card.uram);
  }
  if (!fits) fmt::print("a card's budget of {:.0f} % LUT or DSP is exceeded\n", 100 * plan.max_share);
  return fits;
}

int run(const Options& options) {
  Plan plan = load_plan(options.source / "rtl/synthesis/units.toml");
  if (!options.only.empty())
    std::erase_if(plan.units, [&](const Unit& unit) {
      return std::find(options.only.begin(), options.only.end(), unit.top) == options.only.end();
    });
  if (plan.units.empty()) throw InputError("--only names no unit of rtl/synthesis/units.toml");
  fs::create_directories(options.work);
  std::vector<Report> reports;
  for (const Unit& unit : plan.units) {
    std::cerr << "synthesising " << unit.name << std::endl;
    reports.push_back(analyse(synthesise(unit, options)));
  }
  print_units(plan, reports);
  const bool explained = print_long_paths(plan, reports, options.paths);
  const bool fits = !options.only.empty() || print_cards(plan, reports);
  return explained && fits ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace heddle::synthesis

int main(int argc, char** argv) {
  heddle::synthesis::Options options;
  CLI::App app{"Synthesises every unit with Yosys and scales the result to the cards (estimates)"};
  app.add_option("--work", options.work, "folder for scripts, netlists and logs");
  app.add_option("--only", options.only, "top modules to look at, instead of all");
  app.add_flag("--reuse", options.reuse, "keep netlists that are there");
  app.add_flag("--path", options.paths, "list the nets of every path that is longer than the limit");
  CLI11_PARSE(app, argc, argv);
  try {
    return heddle::synthesis::run(options);
  } catch (const heddle::Error& error) {
    std::cerr << "heddle-synthesis: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
