// The kinds of errors that a user can cause. Each message names the thing, the place and the mend.
#pragma once

#include <stdexcept>
#include <string>

namespace heddle {

// Base of all errors that are the user's to mend; programming errors are asserts.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file, option or value that was handed in is wrong.
class InputError : public Error {
 public:
  using Error::Error;
};

// A model, shape or program does not fit the accelerator or is ill-formed.
class CompileError : public Error {
 public:
  using Error::Error;
};

// A device is missing, refused the program, or failed while it ran.
class DeviceError : public Error {
 public:
  using Error::Error;
};

}  // namespace heddle
