#include "driver/verilated/verilated_device.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/error.h"
#include "driver/checks.h"
#include "driver/registers.h"
#include "driver/verilated/bank_allocator.h"
#include "driver/verilated/model.h"
#include "driver/waiting.h"

namespace heddle::driver {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kRegisterTimeout = 1000;  // cycles for one AXI4-Lite access
constexpr unsigned kResetCycles = 8;
constexpr std::uint64_t kClockCheck = 1024;  // cycles between looks at the host's clock

class VerilatedDevice;

class VerilatedBuffer final : public Buffer {
 public:
  VerilatedBuffer(VerilatedDevice& owner, std::uint64_t address, std::size_t bytes, unsigned port)
      : owner_(owner), address_(address), bytes_(bytes), port_(port) {}
  ~VerilatedBuffer() override;
  std::size_t bytes() const override { return bytes_; }
  std::uint64_t address() const { return address_; }
  unsigned port() const { return port_; }
  const VerilatedDevice& owner() const { return owner_; }

 private:
  VerilatedDevice& owner_;
  std::uint64_t address_;
  std::size_t bytes_;
  unsigned port_;
};

sim::AxiTiming timing_of(const config::Config& config, const VerilatedOptions& options) {
  sim::AxiTiming timing;
  timing.bytes_per_cycle = config.model.bytes_per_cycle;
  timing.read_latency = config.model.read_latency;
  timing.write_latency = config.model.write_latency;
  timing.stall_percent = options.stall_percent;
  timing.seed = options.seed;
  return timing;
}

class VerilatedDevice final : public Device {
 public:
  VerilatedDevice(const config::Config& config, const VerilatedOptions& options, std::unique_ptr<Model> model)
      : config_(config),
        options_(options),
        info_{"verilated", "RTL of configuration " + config.name + " under Verilator", true},
        storage_(config.model.banks),
        memory_(storage_, config.axi_ports, timing_of(config, options)),
        allocator_(storage_.bank_bytes()),
        model_(std::move(model)),
        random_(options.seed * 0x9E3779B97F4A7C15ull + 1) {
    if (!options.waves.empty()) model_->open_waves(options.waves);
    reset();
    check_shape();
  }

  const DeviceInfo& info() const override { return info_; }
  const config::Config& config() const override { return config_; }

  BufferPtr allocate(std::size_t bytes, unsigned port) override {
    bytes = check_allocation(bytes, port, config_);
    const std::uint64_t address = allocator_.allocate(port % storage_.banks(), bytes);
    return std::make_shared<VerilatedBuffer>(*this, address, bytes, port);
  }

  void release(const VerilatedBuffer& buffer) {
    allocator_.release(buffer.address());
    storage_.discard(buffer.address(), buffer.bytes());
  }

  void write(Buffer& buffer, std::size_t offset, std::span<const std::byte> data) override {
    check_range("a write", buffer.bytes(), offset, data.size());
    if (!data.empty()) std::memcpy(storage_.at(own(buffer).address() + offset, data.size()), data.data(), data.size());
  }

  void read(const Buffer& buffer, std::size_t offset, std::span<std::byte> data) override {
    check_range("a read", buffer.bytes(), offset, data.size());
    if (!data.empty()) std::memcpy(data.data(), storage_.at(own(buffer).address() + offset, data.size()), data.size());
  }

  void start(const Launch& launch) override {
    if (running_) throw DeviceError("a program is still running; wait for it before the next start");
    check_launch(launch);
    const VerilatedBuffer& program = own(*launch.program);
    for (std::size_t s = 0; s < kSlots; ++s) {
      if (launch.slots[s]) check_slot_port(s, own(*launch.slots[s]).port(), config_);
    }
    for (std::uint32_t s = 0; s < kSlots; ++s) {
      write_slot(s, launch.slots[s] ? &own(*launch.slots[s]) : nullptr);
    }
    write_register(registers::kProgram, static_cast<std::uint32_t>(program.address()));
    write_register(registers::kProgram + 4, static_cast<std::uint32_t>(program.address() >> 32));
    write_register(registers::kProgramWords, static_cast<std::uint32_t>(launch.words));
    write_register(registers::kWatchdog, launch.watchdog_cycles);
    write_register(registers::kGlobalInterrupt, 1);
    write_register(registers::kInterruptEnable, 1);
    launch_ = launch;
    running_ = true;
    write_register(registers::kControl, registers::kStart);
  }

  RunResult wait(std::chrono::milliseconds limit) override {
    if (!running_) throw DeviceError("nothing was started; call start before wait");
    const Clock::time_point end = Clock::now() + limit;
    std::uint64_t cycles = 0;
    while (!interrupt_) {
      cycle({});
      if (++cycles % kClockCheck == 0 && Clock::now() >= end) give_up(cycles);
    }
    running_ = false;
    launch_ = {};
    write_register(registers::kInterruptStatus, 1);
    read_register(registers::kControl);  // clears done
    return result();
  }

 private:
  ControlReply cycle(const ControlRequest& control) {
    const ControlReply reply = model_->cycle(control, options_.stall_percent != 0 ? random_stalls() : 0, memory_);
    interrupt_ = reply.interrupt;
    return reply;
  }

  std::uint32_t random_stalls() {
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

  void reset() {
    model_->set_reset(true);
    cycle({});  // in this one the core still drives what it did
    memory_.reset();
    for (unsigned i = 1; i < kResetCycles; ++i) cycle({});
    model_->set_reset(false);
    for (Slot& slot : slots_) slot = {};
    running_ = false;
    launch_ = {};
  }

  // ------------------------------------------------------------------------------------------------ registers
  void write_register(std::uint32_t address, std::uint32_t data) {
    ControlRequest request{.aw_valid = true, .w_valid = true, .b_ready = true, .address = address, .data = data};
    for (unsigned i = 0; i < kRegisterTimeout; ++i) {
      const ControlReply reply = cycle(request);
      if (reply.aw_ready) request.aw_valid = false;
      if (reply.w_ready) request.w_valid = false;
      if (reply.b_valid) return check_response(reply, address);
    }
    throw DeviceError("register " + std::to_string(address) + " did not confirm a write within " +
                      std::to_string(kRegisterTimeout) + " cycles; the RTL's register file hangs");
  }

  std::uint32_t read_register(std::uint32_t address) {
    ControlRequest request{.ar_valid = true, .r_ready = true, .address = address};
    for (unsigned i = 0; i < kRegisterTimeout; ++i) {
      const ControlReply reply = cycle(request);
      if (reply.ar_ready) request.ar_valid = false;
      if (reply.r_valid) {
        check_response(reply, address);
        return reply.data;
      }
    }
    throw DeviceError("register " + std::to_string(address) + " did not answer a read within " +
                      std::to_string(kRegisterTimeout) + " cycles; the RTL's register file hangs");
  }

  std::uint64_t read_register64(std::uint32_t address) {
    const std::uint64_t low = read_register(address);
    return low | static_cast<std::uint64_t>(read_register(address + 4)) << 32;
  }

  static void check_response(const ControlReply& reply, std::uint32_t address) {
    if (reply.response != 0) {
      throw DeviceError("register " + std::to_string(address) + " answered with AXI response " +
                        std::to_string(reply.response) + "; host and RTL disagree about the register map");
    }
  }

  struct Slot {
    std::uint64_t address = 0;
    std::uint32_t lines = 0;
    bool written = false;
    bool operator==(const Slot&) const = default;
  };

  // Registers keep their values from run to run, so only changes are written.
  void write_slot(std::uint32_t index, const VerilatedBuffer* buffer) {
    Slot slot{0, 0, true};
    if (buffer != nullptr) slot = {buffer->address(), static_cast<std::uint32_t>(buffer->bytes() / kLineBytes), true};
    if (slots_[index] == slot) return;
    slots_[index] = slot;
    const std::uint32_t address = registers::kSlot + registers::kSlotStep * index;
    write_register(address, static_cast<std::uint32_t>(slot.address));
    write_register(address + 4, static_cast<std::uint32_t>(slot.address >> 32));
    write_register(address + 8, slot.lines);
  }

  void check_shape() {
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

  // -------------------------------------------------------------------------------------------------- results
  RunResult result() {
    RunResult result;
    result.error = static_cast<isa::Error>(read_register(registers::kError));
    result.error_index = read_register(registers::kErrorIndex);
    if (result.error == isa::Error::watchdog) {
      result.waiting = describe_waiting(read_register(registers::kWaiting), read_register(registers::kWaitingFor));
    }
    result.counters.cycles = read_register64(registers::kCycles);
    result.counters.words = read_register64(registers::kWords);
    for (std::uint32_t u = 0; u < isa::kUnitCount; ++u) {
      for (std::uint32_t c = 0; c < isa::kCounterCount; ++c) {
        result.counters.unit[u][c] =
            read_register64(registers::kCounter + registers::kUnitStep * u + registers::kCounterStep * c);
      }
    }
    return result;
  }

  [[noreturn]] void give_up(std::uint64_t cycles) {
    const std::string waiting =
        describe_waiting(read_register(registers::kWaiting), read_register(registers::kWaitingFor));
    const std::string memory = memory_.describe();
    reset();
    throw DeviceError("the program did not end within the time limit (" + std::to_string(cycles) +
                      " cycles were simulated); the device was reset. At that moment:\n" + waiting + memory +
                      "Give it more time, or find out why it waits.");
  }

  const VerilatedBuffer& own(const Buffer& buffer) const {
    const auto* mine = dynamic_cast<const VerilatedBuffer*>(&buffer);
    if (mine == nullptr || &mine->owner() != this) {
      throw DeviceError("a buffer of another device was handed to the verilated device; allocate it here");
    }
    return *mine;
  }

  config::Config config_;
  VerilatedOptions options_;
  DeviceInfo info_;
  sim::DeviceMemory storage_;
  sim::AxiMemory memory_;
  BankAllocator allocator_;
  std::unique_ptr<Model> model_;
  std::uint64_t random_;
  std::array<Slot, kSlots> slots_{};
  Launch launch_;  // keeps its buffers alive
  bool running_ = false;
  bool interrupt_ = false;
};

VerilatedBuffer::~VerilatedBuffer() { owner_.release(*this); }

const ModelEntry* find_model(const std::string& name) {
  const auto entry = std::find_if(models().begin(), models().end(),
                                  [&](const ModelEntry& model) { return model.configuration == name; });
  return entry == models().end() ? nullptr : &*entry;
}

}  // namespace

std::string missing_model(const config::Config& config) {
  if (find_model(config.name) != nullptr) return {};
  std::string names;
  for (const ModelEntry& entry : models()) names += (names.empty() ? "" : ", ") + std::string(entry.configuration);
  return "this build has no RTL model of configuration " + config.name + " (it has: " + names +
         "); add it with cmake -DHEDDLE_RTL_CONFIGS=\"...;" + config.name + "\" and build again";
}

std::unique_ptr<Device> make_verilated_device(const config::Config& config, const VerilatedOptions& options) {
  if (const std::string missing = missing_model(config); !missing.empty()) throw DeviceError(missing);
  if (options.stall_percent > 95) {
    throw InputError("a stall probability of " + std::to_string(options.stall_percent) +
                     " % leaves nothing to run; give 0 to 95");
  }
  return std::make_unique<VerilatedDevice>(config, options, find_model(config.name)->make());
}

}  // namespace heddle::driver
