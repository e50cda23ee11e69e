#include "bitstreams/generate.h"

#include <map>

#include "common/error.h"
#include "common/files.h"
#include "driver/xclbin/identity.h"
#include "driver/xclbin/metadata.h"

namespace heddle::bitstreams {
namespace fs = std::filesystem;

std::string link_configuration(const Card& card) {
  const xclbin::KernelInterface kernel = xclbin::kernel_interface(card.config);
  std::string text = "# Generated for v++ --link --config. One line for each pointer of each core.\n";
  text += "platform=" + card.platform + "\n\n[connectivity]\n";
  text += "nk=" + kernel.kernel + ":" + std::to_string(kernel.units.size()) + ":";
  for (std::size_t u = 0; u < kernel.units.size(); ++u) text += (u == 0 ? "" : ".") + kernel.units[u].name;
  text += "\n";
  for (std::uint32_t u = 0; u < kernel.units.size(); ++u) {
    const std::string& unit = kernel.units[u].name;
    text += "slr=" + unit + ":" + card.cores[u].slr + "\n";
    for (const xclbin::Argument& argument : kernel.arguments)
      if (argument.pointer)
        text += "sp=" + unit + "." + argument.name + ":" + memory_of(card, u, argument).text() + "\n";
  }
  return text;
}

std::string synthesis_source(const std::string& text) {
  std::string head;
  for (const char* name : {"SYNTHESIS", "HEDDLE_DSP48E2"})
    head += std::string("`ifndef ") + name + "\n`define " + name + "\n`endif\n";
  return head + text;
}

std::string makefile(const Card& card) {
  return "# Generated for configuration " + card.config.name + "; \"make help\" says what there is.\n" +
         "NAME     := " + card.config.name + "\nPLATFORM := " + card.platform + "\nPART     := " + card.part +
         "\nKERNEL   := " + xclbin::kKernelName + "\nMHZ      := " + std::to_string(card.config.mhz) +
         "\ninclude build.mk\n";
}

void generate(const Card& card, const std::vector<fs::path>& sources, const fs::path& fixed, const fs::path& output) {
  std::map<std::string, fs::path> names;
  std::string list;
  for (const fs::path& source : sources) {
    const std::string name = source.filename().string();
    if (!names.emplace(name, source).second)
      throw InputError("two sources are called " + name + ": " + names[name].string() + " and " + source.string());
    const fs::path place = fs::path("rtl") / source.parent_path().filename() / name;
    fs::create_directories((output / place).parent_path());
    write_atomically(output / place, synthesis_source(read_text(source)));
    list += place.string() + "\n";
  }
  write_atomically(output / "sources.f", list);
  write_atomically(output / "kernel.xml", xclbin::to_kernel_xml(xclbin::kernel_interface(card.config)));
  write_atomically(output / "link.cfg", link_configuration(card));
  write_atomically(output / "identity.json", xclbin::to_json(xclbin::identity_of(card.config)));
  write_atomically(output / "Makefile", makefile(card));
  for (const char* name : {"build.mk", "package_kernel.tcl", "check_reports.tcl"})
    write_atomically(output / name, read_text(fixed / name));
}

}  // namespace heddle::bitstreams
