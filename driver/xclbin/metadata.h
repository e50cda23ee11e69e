// The XML of section EMBEDDED_METADATA: kernel, ports, arguments and compute units, in the words that XRT reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "driver/xclbin/kernel_interface.h"

namespace heddle::xclbin {

struct Metadata {
  std::string kernel;
  std::vector<Port> ports;
  std::vector<Argument> arguments;
  std::vector<ComputeUnit> units;
};

// `platform` is vendor:board:name:version. `mhz`: the kernel's clock.
std::string to_xml(const KernelInterface& kernel, const std::string& platform, std::uint32_t mhz);

// The description of the kernel `name`; only it, whichever other kernels there are. Throws InputError for text that is
// not well formed, or that lacks the kernel or a value of it.
Metadata read_metadata(std::span<const std::byte> xml, const std::string& name);

// The kernel as `package_xo` takes it (kernel.xml), for the same reader of eyes and of XRT.
std::string to_kernel_xml(const KernelInterface& kernel);

}  // namespace heddle::xclbin
