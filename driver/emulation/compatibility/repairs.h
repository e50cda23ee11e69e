// The repairs of one build of XRT's emulation shim: Debian's libxrt2/libxrt1 202210.2.13.466+dfsg-8.
//
// Each mends one defect by replacing what the shim imports, in memory, and can be left out by its name.
#pragma once

#include <string>
#include <vector>

#include "driver/emulation/compatibility/shim_image.h"

namespace heddle::emulation {

inline constexpr const char* kKnownBuild = "5b69d419ad213ad8446e6cc7f92dfa4fe0bbe07f";
inline constexpr const char* kKeepVariable = "HEDDLE_XRT_KEEP_DEFECTS";  // names of repairs to leave out, or "all"

struct Repair {
  const char* name;
  const char* defect;
  // Throws std::runtime_error if the shim is not what the repair expects.
  void (*apply)(const ShimImage& shim);
};

const std::vector<Repair>& repairs();

// Throws std::runtime_error if `keep`, names separated by commas, has an unknown one.
void check_repair_names(const std::string& keep);

// Applies all but those that `keep` names.
void apply_repairs(const ShimImage& shim, const std::string& keep);

}  // namespace heddle::emulation
