// A whole xclbin: made for the emulated board, read from any file, and compared with a configuration.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "driver/xclbin/container.h"
#include "driver/xclbin/identity.h"
#include "driver/xclbin/kernel_interface.h"

namespace heddle::xclbin {

struct Image {
  Mode mode = Mode::hw_emu;
  std::string platform;
  Uuid uuid{};
  KernelInterface kernel;            // as all its sections together say
  std::optional<Identity> identity;  // nothing if the file does not say
  std::vector<Section> sections;

  bool emulated() const { return mode == Mode::hw_emu || mode == Mode::sw_emu; }
};

// The file for XRT's hardware emulation. `device_program`: see launcher.h. Same arguments, same bytes.
Bytes make_emulated(const config::Config& config, const std::string& device_program);

// Throws InputError for a file that is damaged, contradicts itself, or has no kernel of Heddle. Emulated files are
// covered by their UUID to the last bit.
Image read(std::span<const std::byte> file, const std::string& origin);
Image load(const std::filesystem::path& path);

// One sentence for each thing that keeps the xclbin from running what the compiler makes for `config`; empty if it
// fits.
std::vector<std::string> differences(const Image& image, const config::Config& config);

}  // namespace heddle::xclbin
