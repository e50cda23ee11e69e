#include "driver/xclbin/launcher.h"

#include "common/error.h"
#include "driver/xclbin/zip.h"

namespace heddle::xclbin {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// XRT sends standard output to nowhere; errors go to the host's standard error. XRT's own options mean nothing to us.
constexpr const char* kScript = R"(if ! command -v "$device" >/dev/null; then
  echo "heddle: the device process $device cannot be started; set HEDDLE_EMULATED_DEVICE to its path" >&2
  exit 127
fi
exec "$device" --config heddle.toml
)";

std::string script(const std::string& device_program) {
  const std::string fallback = quoted(device_program.empty() ? kDeviceProgram : device_program);
  return "#!/bin/sh\nfallback=" + fallback + "\ndevice=${" + kDeviceVariable + ":-$fallback}\n" + kScript;
}

}  // namespace

Bytes launcher(const config::Config& config, const std::string& device_program) {
  if (device_program.find('\n') != std::string::npos)
    throw InputError("the path of the device process has a line break; move the program");
  const std::string folder = "behav_waveform/xsim/";
  return zip({{folder + "simulate.sh", script(device_program), true},
              {folder + "heddle.toml", config::to_toml(config), false}});
}

}  // namespace heddle::xclbin
