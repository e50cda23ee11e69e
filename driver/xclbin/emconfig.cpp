#include "driver/xclbin/emconfig.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "driver/xclbin/kernel_interface.h"

namespace heddle::xclbin {

std::string emconfig(const config::Config& config, std::uint32_t boards) {
  using Json = nlohmann::ordered_json;
  if (boards == 0 || boards > kMostBoards)
    throw InputError(std::to_string(boards) + " emulated boards are out of range; use 1 to " +
                     std::to_string(kMostBoards));
  Json banks = Json::array();
  for (const Bank& bank : emulated_interface(config).banks)
    banks.push_back({{"Size", std::to_string(bank.bytes >> 30) + "GB"}});
  const Json device{{"Name", kEmulationPlatform}, {"HalMajorVersion", 1},      {"HalMinorVersion", 0},
                    {"VendorId", 4334},           {"DeviceVersion", 0},        {"DataAlignment", 4096},
                    {"DdrBanks", banks},          {"OclFreqency", config.mhz},  // the key is spelt like this
                    {"NumDevices", boards}};
  const Json board{{"NumBoards", 1}, {"Devices", Json::array({device})}};
  const Json root{
      {"Version", {{"FileVersion", "2.0"}, {"ToolVersion", "heddle"}}},
      {"Platform", {{"Boards", Json::array({board})}, {"UnifiedPlatform", "true"}, {"ExpandedPR", "false"}}}};
  return root.dump(2) + "\n";
}

}  // namespace heddle::xclbin
