// A flat netlist as Yosys writes it (write_json), and what the report wants to know of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::synthesis {

// Primitives of the device, counted. A LUT of the device computes one function of six inputs or two functions of five
// inputs together; which functions meet is decided by placement, so the number is that of Yosys's
// `stat -tech xilinx` ("estimated number of LCs").
struct Resources {
  std::uint64_t functions = 0;  // LUT1 to LUT6 as synthesis made them
  std::uint64_t lut = 0;        // LUTs that these take (see below), shift registers, distributed memory
  std::uint64_t ff = 0;
  std::uint64_t dsp = 0;
  double bram36 = 0;  // a RAMB18 is half of one
  std::uint64_t uram = 0;
};

// The longest way from a register or input to a register or output. A LUT or an entry into a carry chain counts as
// one level; running along a carry chain, wide multiplexers (MUXF7 to MUXF9) and inverters count as none.
struct Step {
  std::string net;
  std::uint32_t levels = 0;  // up to here
  std::string through;       // kind of primitive that drives the net; empty at the start
};
struct Path {
  std::uint32_t levels = 0;
  std::vector<Step> steps;  // the first one is where it starts
  std::string to;           // register and its port, or output, where it ends
};

// A module that was left as a black box, with all its parameters, also those that kept their defaults.
struct Instance {
  std::string module;
  std::map<std::string, std::uint64_t> parameters;
};

struct Report {
  Resources resources;
  std::vector<Instance> instances;
  std::vector<Path> paths;  // the longest one to each register and output (its bits taken together), longest first
  std::uint32_t levels() const { return paths.empty() ? 0 : paths.front().levels; }
};

// `boxes`: the modules that may be black boxes. Throws heddle::InputError when the file is not a flat netlist of one
// module.
Report analyse(const std::filesystem::path& json, const std::set<std::string>& boxes = {});

}  // namespace heddle::synthesis
