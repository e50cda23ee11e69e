#include "driver/device_factory.h"

#include "common/error.h"
#include "driver/functional/functional_device.h"
#ifdef HEDDLE_WITH_VERILATED
#include "driver/verilated/verilated_device.h"
#endif
#ifdef HEDDLE_WITH_XRT
#include "driver/xrt/probe.h"
#include "driver/xrt/xrt_device.h"
#endif

namespace heddle::driver {
namespace {

#ifdef HEDDLE_WITH_VERILATED
std::unique_ptr<Device> open_verilated(const config::Config& config, const DeviceOptions& options) {
  return make_verilated_device(
      config, {options.stall_percent.value_or(config.model.stall_percent), options.seed, options.waves});
}
std::string why_not_verilated(const config::Config& config) { return missing_model(config); }
#else
constexpr const char* kNoRtl = "this build has no RTL; build again with cmake -DHEDDLE_BUILD_RTL=ON";
std::unique_ptr<Device> open_verilated(const config::Config&, const DeviceOptions&) { throw DeviceError(kNoRtl); }
std::string why_not_verilated(const config::Config&) { return kNoRtl; }
#endif

#ifdef HEDDLE_WITH_XRT
std::unique_ptr<Device> open_xrt(const config::Config& config, const DeviceOptions& options) {
  return make_xrt_device(config, {options.board, options.core, options.xclbin});
}
std::vector<DeviceListing> list_xrt(const config::Config& config) { return probe_xrt(config); }
#else
constexpr const char* kNoXrt =
    "this build has no XRT; install libxrt-dev and uuid-dev, and build again with cmake -DHEDDLE_XRT=ON";
std::unique_ptr<Device> open_xrt(const config::Config&, const DeviceOptions&) { throw DeviceError(kNoXrt); }
std::vector<DeviceListing> list_xrt(const config::Config&) { return {{"xrt", "emulation", false, kNoXrt, ""}}; }
#endif

}  // namespace

std::unique_ptr<Device> open_device(const std::string& name, const config::Config& config,
                                    const DeviceOptions& options) {
  if (name == "xrt") return open_xrt(config, options);
  if (name == "verilated") return open_verilated(config, options);
  if (name == "functional") return make_functional_device(config, options.check_races);
  throw InputError("there is no device \"" + name + "\"; use xrt, verilated or functional");
}

std::vector<DeviceListing> list_devices(const config::Config& config) {
  std::vector<DeviceListing> list = list_xrt(config);
  const std::string missing = why_not_verilated(config);
  list.push_back({"verilated", "simulation", missing.empty(),
                  missing.empty() ? "RTL of configuration " + config.name + ", cycle by cycle" : missing, ""});
  list.push_back({"functional", "model", true, "bit-exact model, no cycles", ""});
  return list;
}

}  // namespace heddle::driver
