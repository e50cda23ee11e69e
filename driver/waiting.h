// Says in words what the registers WAITING and WAITING_FOR say in bits.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::driver {

// One line a unit that has something to do: "mxu waits for a token of load".
std::string describe_waiting(std::uint32_t waiting, std::uint32_t waiting_for);

}  // namespace heddle::driver
