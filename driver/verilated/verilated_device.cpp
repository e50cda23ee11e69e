#include "driver/verilated/verilated_device.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/error.h"
#include "driver/checks.h"
#include "driver/registers.h"
#include "driver/verilated/bank_allocator.h"
#include "driver/waiting.h"

namespace heddle::driver {
namespace {

using Clock = std::chrono::steady_clock;

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

class VerilatedDevice final : public Device {
 public:
  VerilatedDevice(const config::Config& config, const VerilatedOptions& options)
      : config_(config),
        info_{"verilated", "RTL of configuration " + config.name + " under Verilator", true},
        storage_(config.model.banks),
        allocator_(storage_.bank_bytes()),
        core_(config, options, storage_) {
    core_.check_identity();
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
    core_.write_register(registers::kProgram, static_cast<std::uint32_t>(program.address()));
    core_.write_register(registers::kProgram + 4, static_cast<std::uint32_t>(program.address() >> 32));
    core_.write_register(registers::kProgramWords, static_cast<std::uint32_t>(launch.words));
    core_.write_register(registers::kWatchdog, launch.watchdog_cycles);
    core_.write_register(registers::kGlobalInterrupt, 1);
    core_.write_register(registers::kInterruptEnable, 1);
    launch_ = launch;
    running_ = true;
    core_.write_register(registers::kControl, registers::kStart);
  }

  RunResult wait(std::chrono::milliseconds limit) override {
    if (!running_) throw DeviceError("nothing was started; call start before wait");
    const Clock::time_point end = Clock::now() + limit;
    std::uint64_t cycles = 0;
    while (!core_.interrupt()) {
      core_.cycle();
      if (++cycles % kClockCheck == 0 && Clock::now() >= end) give_up(cycles);
    }
    running_ = false;
    launch_ = {};
    core_.write_register(registers::kInterruptStatus, 1);
    core_.read_register(registers::kControl);  // clears done
    return result();
  }

 private:
  void reset() {
    core_.reset();
    for (Slot& slot : slots_) slot = {};
    running_ = false;
    launch_ = {};
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
    core_.write_register(address, static_cast<std::uint32_t>(slot.address));
    core_.write_register(address + 4, static_cast<std::uint32_t>(slot.address >> 32));
    core_.write_register(address + 8, slot.lines);
  }

  // -------------------------------------------------------------------------------------------------- results
  RunResult result() {
    RunResult result;
    result.error = static_cast<isa::Error>(core_.read_register(registers::kError));
    result.error_index = core_.read_register(registers::kErrorIndex);
    if (result.error == isa::Error::watchdog) {
      result.waiting =
          describe_waiting(core_.read_register(registers::kWaiting), core_.read_register(registers::kWaitingFor));
    }
    result.counters.cycles = core_.read_register64(registers::kCycles);
    result.counters.words = core_.read_register64(registers::kWords);
    for (std::uint32_t u = 0; u < isa::kUnitCount; ++u) {
      for (std::uint32_t c = 0; c < isa::kCounterCount; ++c) {
        result.counters.unit[u][c] =
            core_.read_register64(registers::kCounter + registers::kUnitStep * u + registers::kCounterStep * c);
      }
    }
    return result;
  }

  [[noreturn]] void give_up(std::uint64_t cycles) {
    const std::string waiting =
        describe_waiting(core_.read_register(registers::kWaiting), core_.read_register(registers::kWaitingFor));
    const std::string memory = core_.memory().describe();
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
  DeviceInfo info_;
  sim::DeviceMemory storage_;
  BankAllocator allocator_;
  CoreSimulation core_;
  std::array<Slot, kSlots> slots_{};
  Launch launch_;  // keeps its buffers alive
  bool running_ = false;
};

VerilatedBuffer::~VerilatedBuffer() { owner_.release(*this); }

}  // namespace

std::unique_ptr<Device> make_verilated_device(const config::Config& config, const VerilatedOptions& options) {
  return std::make_unique<VerilatedDevice>(config, options);
}

}  // namespace heddle::driver
