#include "driver/emulation/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "driver/emulation/reply_limit.h"
#include "driver/xclbin/emconfig.h"
#include "driver/xclbin/launcher.h"

namespace heddle::emulation {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRootVariable = "HEDDLE_XRT_ROOT";
constexpr const char* kShim = "lib/libxrt_hwemu.so.2";

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

fs::path program_directory() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program.parent_path();
}

// The first of the candidates that `probe` exists below.
fs::path first_with(const std::vector<fs::path>& candidates, const fs::path& probe) {
  std::error_code ignored;
  for (const fs::path& candidate : candidates) {
    if (!candidate.empty() && fs::exists(probe.empty() ? candidate : candidate / probe, ignored)) return candidate;
  }
  return {};
}

fs::path device_program(const Parts& parts) {
  if (!parts.device_program.empty()) return parts.device_program;
  if (const auto path = variable(xclbin::kDeviceVariable)) return *path;
  return first_with({program_directory() / xclbin::kDeviceProgram}, {});
}

fs::path xrt_root(const Parts& parts) {
  if (!parts.xrt_root.empty()) return parts.xrt_root;
  if (const auto path = variable(kRootVariable)) return *path;
  const fs::path here = program_directory();
  return first_with({here / "xrt", here / "../lib/heddle/xrt", here / "../lib64/heddle/xrt",
                     here / "../lib/x86_64-linux-gnu/heddle/xrt"},
                    kShim);
}

}  // namespace

std::string missing_part(const Parts& parts) {
  const fs::path program = device_program(parts), root = xrt_root(parts);
  if (program.empty() || access(program.c_str(), X_OK) != 0) {
    return "the program of emulated boards, " +
           (program.empty() ? fs::path(xclbin::kDeviceProgram) : program).string() +
           ", is not there; build everything, or set " + xclbin::kDeviceVariable + " to its path";
  }
  std::error_code ignored;
  if (root.empty() || !fs::exists(root / kShim, ignored)) {
    return "the folder with XRT's libraries for emulated boards" + (root.empty() ? "" : ", " + root.string() + ",") +
           " has no " + kShim + "; build everything, or set " + kRootVariable + " to its path";
  }
  return {};
}

Environment::Environment(const config::Config& config, unsigned boards, const Parts& parts) {
  if (const std::string missing = missing_part(parts); !missing.empty()) throw DeviceError(missing);
  reply_limit();  // a wrong one is told before XRT starts
  write_atomically(fs::path(directory_.path()) / "emconfig.json", xclbin::emconfig(config, boards));
  set("XCL_EMULATION_MODE", "hw_emu");
  set("XILINX_XRT", fs::absolute(xrt_root(parts)).string());
  set("EMCONFIG_PATH", directory_.path());
  set(xclbin::kDeviceVariable, fs::absolute(device_program(parts)).string());
}

Environment::~Environment() {
  for (const auto& [name, value] : before_) {
    if (value) {
      setenv(name.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }
}

void Environment::set(const std::string& name, const std::string& value) {
  before_.try_emplace(name, variable(name));
  setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace heddle::emulation
