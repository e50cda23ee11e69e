// What the command line asks for. Only arguments.cpp knows the library that parses it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "common/error.h"
#include "driver/device_factory.h"
#include "host/compiler/gemm.h"

namespace heddle::cli {

// Options that choose a device, shared by the commands that need one.
struct DeviceChoice {
  std::string device;
  std::string config = "sim";
  std::string waves = {};
  std::optional<unsigned> stall_percent = {};
  std::string board = {};  // xrt
  std::optional<unsigned> core = {};
  std::string xclbin = {};

  std::unique_ptr<driver::Device> open() const;
};

struct TrainArguments {
  std::string model;
  std::string data;
  DeviceChoice device{.device = "verilated"};
  std::optional<std::uint64_t> epochs;  // default: as many as `steps` take, or 1
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> batch_size;
  std::optional<float> learning_rate;
  std::uint64_t seed = 1;
  std::string save;
  bool json = false;
};

struct EvalArguments {
  std::string model;
  std::string weights;
  std::string data;
  DeviceChoice device{.device = "functional"};
  std::optional<std::uint64_t> batch_size;
  bool json = false;
};

struct DevicesArguments {
  std::string config = "sim";
  bool json = false;
};

struct GemmArguments {
  compiler::GemmShape shape;
  std::uint64_t batch = 1;
  DeviceChoice device{.device = "verilated"};
  std::uint64_t seed = 1;
  std::string data = "random";
  std::string check = {};  // "all", "sampled", or empty: nothing
  bool json = false;
};

struct AsmArguments {
  std::string input;
  std::string output;
  std::string config;  // empty: the widest array
  bool json = false;
};

struct DisasmArguments {
  std::string input;
  bool json = false;
};

struct ConfigArguments {
  std::string name = "sim";
  bool list = false;
  bool json = false;
};

struct XclbinArguments {
  enum class Action { make, show, check };
  Action action = Action::make;
  std::string file;  // written by make, read by the others
  std::string config = "sim";
  std::string device_program;  // make: path of heddle-emulated-device; empty: the search path's
  std::string emconfig;        // make: a second file, emconfig.json; empty: none
  std::uint32_t boards = 1;    // make: in emconfig.json
  bool json = false;
};

using Arguments = std::variant<TrainArguments, EvalArguments, DevicesArguments, GemmArguments, AsmArguments,
                               DisasmArguments, ConfigArguments, XclbinArguments>;

// The arguments are wrong: as any input, but with an exit code of its own.
class UsageError : public InputError {
 public:
  using InputError::InputError;
};

// Nothing when help or the version was asked for; it is printed then. Throws UsageError.
std::optional<Arguments> parse_arguments(int argc, char** argv);

}  // namespace heddle::cli
