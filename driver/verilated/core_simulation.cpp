#include "driver/verilated/core_simulation.h"

#include <algorithm>
#include <array>

#include "common/error.h"
#include "driver/registers.h"
#include "rtl/isa/isa.h"

namespace heddle::driver {
namespace {

constexpr unsigned kRegisterTimeout = 1000;  // cycles for one AXI4-Lite access
constexpr unsigned kResetCycles = 8;

sim::AxiTiming timing_of(const config::Config& config, const VerilatedOptions& options) {
  sim::AxiTiming timing;
  timing.bytes_per_cycle = config.model.bytes_per_cycle;
  timing.read_latency = config.model.read_latency;
  timing.write_latency = config.model.write_latency;
  timing.stall_percent = options.stall_percent;
  timing.seed = options.seed;
  return timing;
}

const ModelEntry* find_model(const std::string& name) {
  const auto entry = std::find_if(models().begin(), models().end(),
                                  [&](const ModelEntry& model) { return model.configuration == name; });
  return entry == models().end() ? nullptr : &*entry;
}

std::unique_ptr<Model> make_model(const config::Config& config, const VerilatedOptions& options) {
  if (const std::string missing = missing_model(config); !missing.empty()) throw DeviceError(missing);
  if (options.stall_percent > 95) {
    throw InputError("a stall probability of " + std::to_string(options.stall_percent) +
                     " % leaves nothing to run; give 0 to 95");
  }
  return find_model(config.name)->make();
}

void check_response(const ControlReply& reply, std::uint32_t address) {
  if (reply.response != 0) {
    throw DeviceError("register " + std::to_string(address) + " answered with AXI response " +
                      std::to_string(reply.response) + "; host and RTL disagree about the register map");
  }
}

}  // namespace

std::string missing_model(const config::Config& config) {
  if (find_model(config.name) != nullptr) return {};
  std::string names;
  for (const ModelEntry& entry : models()) names += (names.empty() ? "" : ", ") + std::string(entry.configuration);
  return "this build has no RTL model of configuration " + config.name + " (it has: " + names +
         "); add it with cmake -DHEDDLE_RTL_CONFIGS=\"...;" + config.name + "\" and build again";
}

CoreSimulation::CoreSimulation(const config::Config& config, const VerilatedOptions& options,
                               sim::DeviceMemory& storage)
    : config_(config),
      options_(options),
      model_(make_model(config, options)),
      memory_(storage, config.axi_ports, timing_of(config, options)),
      random_(options.seed * 0x9E3779B97F4A7C15ull + 1) {
  if (!options.waves.empty()) model_->open_waves(options.waves);
  reset();
}

void CoreSimulation::reset() {
  model_->set_reset(true);
  cycle();  // in this one the core still drives what it did
  memory_.reset();
  for (unsigned i = 1; i < kResetCycles; ++i) cycle();
  model_->set_reset(false);
}

ControlReply CoreSimulation::step(const ControlRequest& control) {
  const ControlReply reply = model_->cycle(control, options_.stall_percent != 0 ? random_stalls() : 0, memory_);
  interrupt_ = reply.interrupt;
  return reply;
}

std::uint32_t CoreSimulation::random_stalls() {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 32; i += 4) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    for (unsigned j = 0; j < 4; ++j) {
      bits |= std::uint32_t{(random_ >> (16 * j) & 0xFFFF) * 100 < options_.stall_percent * 65536ull} << (i + j);
    }
  }
  return bits;
}

void CoreSimulation::write_register(std::uint32_t address, std::uint32_t data) {
  ControlRequest request{.aw_valid = true, .w_valid = true, .b_ready = true, .address = address, .data = data};
  for (unsigned i = 0; i < kRegisterTimeout; ++i) {
    const ControlReply reply = step(request);
    if (reply.aw_ready) request.aw_valid = false;
    if (reply.w_ready) request.w_valid = false;
    if (reply.b_valid) return check_response(reply, address);
  }
  throw DeviceError("register " + std::to_string(address) + " did not confirm a write within " +
                    std::to_string(kRegisterTimeout) + " cycles; the RTL's register file hangs");
}

std::uint32_t CoreSimulation::read_register(std::uint32_t address) {
  ControlRequest request{.ar_valid = true, .r_ready = true, .address = address};
  for (unsigned i = 0; i < kRegisterTimeout; ++i) {
    const ControlReply reply = step(request);
    if (reply.ar_ready) request.ar_valid = false;
    if (reply.r_valid) {
      check_response(reply, address);
      return reply.data;
    }
  }
  throw DeviceError("register " + std::to_string(address) + " did not answer a read within " +
                    std::to_string(kRegisterTimeout) + " cycles; the RTL's register file hangs");
}

std::uint64_t CoreSimulation::read_register64(std::uint32_t address) {
  const std::uint64_t low = read_register(address);
  return low | static_cast<std::uint64_t>(read_register(address + 4)) << 32;
}

void CoreSimulation::check_identity() {
  const std::uint32_t shape =
      config_.cols | config_.axi_ports << 8 | config_.weight_fifo << 12 | config_.queue_depth << 16;
  const std::array<std::array<std::uint32_t, 2>, 5> expected{{{registers::kMagic, registers::kMagicValue},
                                                              {registers::kIsaVersion, isa::kVersion},
                                                              {registers::kShape, shape},
                                                              {registers::kUbLines, config_.ub_lines},
                                                              {registers::kAccRows, config_.acc_rows}}};
  for (const auto& [address, value] : expected) {
    const std::uint32_t found = read_register(address);
    if (found != value) {
      throw DeviceError("the model of configuration " + config_.name + " says " + std::to_string(found) +
                        " in register " + std::to_string(address) + ", the configuration says " +
                        std::to_string(value) + "; build again, or give a changed configuration its own name");
    }
  }
}

}  // namespace heddle::driver
