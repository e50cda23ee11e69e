// XRT throws whatever it likes; users get a DeviceError that says what was tried.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "common/error.h"

namespace heddle::driver {

// Calls `action`. `what`: "loading x.xclbin on emulated board 0". `mend`: what the user can do.
template <typename Action>
auto guarded(const std::string& what, const std::string& mend, Action&& action) {
  try {
    return std::forward<Action>(action)();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw DeviceError(what + " failed: " + error.what() + "; " + mend);
  }
}

}  // namespace heddle::driver
