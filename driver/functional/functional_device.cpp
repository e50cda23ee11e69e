#include "driver/functional/functional_device.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "common/error.h"
#include "driver/checks.h"
#include "sim/functional/core.h"

namespace heddle::driver {
namespace {

struct alignas(kLineBytes) MemoryLine {
  std::byte bytes[kLineBytes];
};

class FunctionalBuffer final : public Buffer {
 public:
  FunctionalBuffer(std::size_t bytes, unsigned port, const Device* owner)
      : port_(port), owner_(owner), lines_(bytes / kLineBytes) {}
  std::size_t bytes() const override { return lines_.size() * kLineBytes; }
  unsigned port() const { return port_; }
  const Device* owner() const { return owner_; }
  std::byte* data() { return lines_.data()->bytes; }
  const std::byte* data() const { return lines_.data()->bytes; }

 private:
  unsigned port_;
  const Device* owner_;
  std::vector<MemoryLine> lines_;
};

class FunctionalDevice final : public Device {
 public:
  FunctionalDevice(const config::Config& config, bool check_races)
      : config_(config),
        core_(config_, {.check_races = check_races}),
        info_{"functional", "bit-exact model of configuration " + config.name, false} {}

  const DeviceInfo& info() const override { return info_; }
  const config::Config& config() const override { return config_; }

  BufferPtr allocate(std::size_t bytes, unsigned port) override {
    return std::make_shared<FunctionalBuffer>(check_allocation(bytes, port, config_), port, this);
  }

  void write(Buffer& buffer, std::size_t offset, std::span<const std::byte> data) override {
    check_range("a write", buffer.bytes(), offset, data.size());
    if (!data.empty()) std::memcpy(own(buffer).data() + offset, data.data(), data.size());
  }

  void read(const Buffer& buffer, std::size_t offset, std::span<std::byte> data) override {
    check_range("a read", buffer.bytes(), offset, data.size());
    if (!data.empty()) std::memcpy(data.data(), own(buffer).data() + offset, data.size());
  }

  void start(const Launch& launch) override {
    if (launch_) throw DeviceError("a program is still running; wait for it before the next start");
    check_launch(launch);
    own(*launch.program);
    for (std::size_t s = 0; s < kSlots; ++s) {
      if (launch.slots[s]) check_slot_port(s, own(*launch.slots[s]).port(), config_);
    }
    launch_ = launch;
  }

  RunResult wait(std::chrono::milliseconds) override {
    if (!launch_) throw DeviceError("nothing was started; call start before wait");
    const Launch launch = *std::exchange(launch_, std::nullopt);
    sim::Slots slots;
    for (std::size_t s = 0; s < kSlots; ++s) {
      if (launch.slots[s]) slots[s] = {own(*launch.slots[s]).data(), launch.slots[s]->bytes()};
    }
    const auto* words = reinterpret_cast<const isa::Word*>(own(*launch.program).data());
    const sim::Outcome outcome = core_.run({words, launch.words}, slots);
    RunResult result;
    result.error = outcome.error;
    result.error_index = outcome.error == isa::Error::none ? 0 : outcome.index;
    return result;
  }

 private:
  FunctionalBuffer& own(Buffer& buffer) const { return const_cast<FunctionalBuffer&>(own(std::as_const(buffer))); }
  const FunctionalBuffer& own(const Buffer& buffer) const {
    const auto* mine = dynamic_cast<const FunctionalBuffer*>(&buffer);
    if (mine == nullptr || mine->owner() != this) {
      throw DeviceError("a buffer of another device was handed to the functional device; allocate it here");
    }
    return *mine;
  }

  config::Config config_;
  sim::Core core_;
  DeviceInfo info_;
  std::optional<Launch> launch_;
};

}  // namespace

std::unique_ptr<Device> make_functional_device(const config::Config& config, bool check_races) {
  return std::make_unique<FunctionalDevice>(config, check_races);
}

}  // namespace heddle::driver
