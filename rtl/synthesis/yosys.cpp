#include "rtl/synthesis/yosys.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "common/error.h"

namespace heddle::synthesis {
namespace {

namespace fs = std::filesystem;

std::string script_of(const Unit& unit, const fs::path& source, const Job& job, const fs::path& netlist) {
  std::ostringstream out;
  std::string defines = " -DSYNTHESIS";
  for (const std::string& define : unit.defines) defines += " -D" + define;
  const auto files = [&](const char* kind, const std::vector<fs::path>& list) {
    if (list.empty()) return;
    out << "read_verilog -sv" << kind << defines;
    for (const fs::path& file : list) out << ' ' << (source / file).string();
    out << '\n';
  };
  files("", job.packages);
  files(" -lib", job.boxes);
  files("", unit.sources);
  for (const auto& [name, value] : job.parameters)
    out << "chparam -set " << name << ' ' << value << ' ' << unit.top << '\n';
  // The netlist is flat either way, so that paths are seen whole.
  out << "synth_xilinx -family xcup -noiopad -noclkbuf " << (unit.by_module ? "" : "-flatten ")
      << (unit.wide_luts ? "" : "-nowidelut ") << (unit.ultra_ram ? "-uram " : "") << "-top " << unit.top << '\n'
      << (unit.by_module ? "flatten\nopt_clean\n" : "") << "write_json " << netlist.string() << '\n';
  return out.str();
}

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

fs::path synthesise(const Unit& unit, const fs::path& source, const Job& job) {
  const fs::path script = job.base.string() + ".ys", log = job.base.string() + ".log",
                 netlist = job.base.string() + ".json";
  const std::string text = script_of(unit, source, job, netlist);
  if (job.reuse && fs::exists(netlist) && read(script) == text) return netlist;
  fs::remove(netlist);
  std::ofstream(script) << text;
  const std::string command = "yosys -q -l '" + log.string() + "' '" + script.string() + "' > /dev/null 2>&1";
  if (std::system(command.c_str()) != 0) throw InputError("yosys failed on '" + unit.name + "': see " + log.string());
  return netlist;
}

}  // namespace heddle::synthesis
