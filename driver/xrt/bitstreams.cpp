#include "driver/xrt/bitstreams.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "common/error.h"
#include "driver/xclbin/image.h"

namespace heddle::driver {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  if (const char* chosen = std::getenv("HEDDLE_BITSTREAMS"); chosen != nullptr && *chosen != '\0')
    result.emplace_back(chosen);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (!error) {
    result.push_back(program / "bitstreams");
    result.push_back(program.parent_path() / "share/heddle/bitstreams");
  }
  return result;
}

std::string list(const std::vector<fs::path>& paths) {
  std::string text;
  for (const fs::path& path : paths) text += (text.empty() ? "" : ", ") + path.string();
  return text;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".xclbin") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Why a file is not for this card and configuration; empty if it is.
std::string unfit(const fs::path& file, const config::Config& config, const std::string& shell) {
  try {
    const xclbin::Image image = xclbin::load(file);
    if (!same_board(shell, image.platform)) return "is for platform " + image.platform;
    const std::vector<std::string> differences = xclbin::differences(image, config);
    return differences.empty() ? "" : differences.front();
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

bool same_board(const std::string& shell, const std::string& platform) {
  const auto board = [](std::string name) {  // "xilinx_u250" of "xilinx_u250_gen3x16_xdma_shell_4_1"
    std::replace(name.begin(), name.end(), ':', '_');
    const std::size_t vendor = name.find('_');
    return name.substr(0, vendor == std::string::npos ? vendor : name.find('_', vendor + 1));
  };
  return board(shell) == board(platform);
}

fs::path find_emulated_xclbin(const config::Config& config) {
  const fs::path name = fs::path("emulation") / (config.name + ".xclbin");
  for (const fs::path& folder : folders()) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored)) return folder / name;
  }
  throw DeviceError("there is no " + name.string() + " in " + list(folders()) +
                    "; make one with: heddle xclbin make --config CONFIGURATION -o FILE, and give it with --xclbin");
}

fs::path find_card_xclbin(const config::Config& config, const std::string& shell) {
  std::string seen;
  for (const fs::path& folder : folders()) {
    for (const fs::path& file : files_in(folder / "cards")) {
      const std::string why = unfit(file, config, shell);
      if (why.empty()) return file;
      seen += "\n  " + file.string() + ": " + why;
    }
  }
  throw DeviceError("there is no xclbin for configuration " + config.name + " on a card with shell " + shell +
                    " in cards/ of " + list(folders()) +
                    "; build one as bitstreams/README.md says, or give it with --xclbin" + seen);
}

}  // namespace heddle::driver
