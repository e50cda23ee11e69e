#include "rtl/synthesis/cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>

#include "common/error.h"
#include "rtl/synthesis/yosys.h"

namespace heddle::synthesis {
namespace {

namespace fs = std::filesystem;

class Synthesis {
 public:
  Synthesis(const Plan& plan, const Options& options) : plan_(plan), options_(options) {
    packages_ = {options.generated / "heddle_isa_pkg.sv", "rtl/common/heddle_pkg.sv"};
    for (const Unit& unit : plan.units) names_.insert(unit.top);
  }

  Result run() {
    for (const Card& card : plan_.cards) {
      const config::Config config = config::load(card.preset);
      result_.cards.push_back({&card, config, core_of(config)});
    }
    return std::move(result_);
  }

 private:
  // The kernel says by its instances which units of which size a core consists of. Cards of equal sizes share the
  // answer.
  const std::vector<std::size_t>& core_of(config::Config config) {
    config.name = "the cards";
    const std::string package = config::to_package(config);
    const auto [core, is_new] = cores_.try_emplace(package);
    if (!is_new) return core->second;
    const fs::path file = options_.work / fmt::format("heddle_config_pkg_{}.sv", cores_.size());
    std::ofstream(file) << package;
    Job job = job_for(plan_.top);
    job.packages.push_back(fs::absolute(file));
    for (const Unit& unit : plan_.units) job.boxes.push_back(file_of(unit));
    const Report top = analyse(synthesise(plan_.top, options_.source, job), names_);
    core->second.push_back(result_.units.size());
    result_.units.push_back({&plan_.top, {}, top});
    for (const Unit& unit : plan_.units) {
      const bool wanted = options_.only.empty() || std::ranges::count(options_.only, unit.top);
      bool is_there = false;
      for (const Instance& instance : top.instances)
        if (instance.module == unit.top) {
          is_there = true;
          if (wanted) core->second.push_back(sized(unit, instance.parameters));
        }
      if (!is_there)
        throw InputError("unit '" + unit.name + "' is in no core: take it out of rtl/synthesis/units.toml");
    }
    return core->second;
  }

  // The report on a unit with these parameters, made when it is asked for first.
  std::size_t sized(const Unit& unit, const std::map<std::string, std::uint64_t>& parameters) {
    for (std::size_t i = 0; i < result_.units.size(); ++i)
      if (result_.units[i].unit == &unit && result_.units[i].parameters == parameters) return i;
    Job job = job_for(unit);
    job.parameters = parameters;
    result_.units.push_back({&unit, parameters, analyse(synthesise(unit, options_.source, job))});
    return result_.units.size() - 1;
  }

  Job job_for(const Unit& unit) {
    std::cerr << "synthesising " << unit.name << std::endl;
    const int variant = ++variants_[unit.top];
    Job job;
    job.packages = packages_;
    job.base = options_.work / (variant == 1 ? unit.top : fmt::format("{}_{}", unit.top, variant));
    job.reuse = options_.reuse;
    return job;
  }

  // The source that declares the unit itself.
  static const fs::path& file_of(const Unit& unit) {
    for (const fs::path& file : unit.sources)
      if (file.stem() == unit.top) return file;
    throw InputError("unit '" + unit.name + "': none of its sources is called " + unit.top + ".sv");
  }

  const Plan& plan_;
  const Options& options_;
  std::vector<fs::path> packages_;
  std::set<std::string> names_;
  std::map<std::string, std::vector<std::size_t>> cores_;  // by configuration package
  std::map<std::string, int> variants_;
  Result result_;
};

}  // namespace

Result synthesise_cores(const Plan& plan, const Options& options) { return Synthesis(plan, options).run(); }

}  // namespace heddle::synthesis
