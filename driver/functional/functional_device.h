// The bit-exact functional model as a device.
#pragma once

#include <memory>

#include "driver/device.h"

namespace heddle::driver {

std::unique_ptr<Device> make_functional_device(const config::Config& config, bool check_races);

}  // namespace heddle::driver
