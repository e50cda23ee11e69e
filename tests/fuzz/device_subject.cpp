#include <cstring>

#include "driver/device_factory.h"
#include "tests/fuzz/subject.h"

namespace heddle::fuzz {
namespace {

// Far above what a program of the generator takes, far below what a hung one would take.
constexpr std::uint32_t kWatchdogCycles = 20000;
constexpr std::size_t kMostWords = 4096;
constexpr std::chrono::minutes kLimit{5};

class DeviceSubject : public Subject {
 public:
  DeviceSubject(const std::string& name, const config::Config& config, const sim::SlotLines& slots,
                unsigned stall_percent, std::uint64_t seed)
      : name_(name + " device") {
    driver::DeviceOptions options;
    options.stall_percent = stall_percent;
    options.seed = seed;
    device_ = driver::open_device(name, config, options);
    launch_.program = device_->allocate(kMostWords * sizeof(isa::Word), 0);
    launch_.watchdog_cycles = kWatchdogCycles;
    for (unsigned s = 0; s < sim::kSlots; ++s)
      if (slots[s] != 0)
        launch_.slots[s] = device_->allocate(std::size_t{slots[s]} * sim::kLineBytes, s % config.axi_ports);
  }

  std::string name() const override { return name_; }

  sim::Outcome run(std::span<const isa::Word> program) override {
    device_->write(*launch_.program, 0, std::as_bytes(program));
    launch_.words = program.size();
    const driver::RunResult result = device_->run(launch_, kLimit);
    if (result.error == isa::Error::none) return {};
    return {result.error, result.error_index};
  }

  void write(unsigned slot, std::span<const std::uint8_t> content) override {
    device_->write(*launch_.slots[slot], 0, std::as_bytes(content));
  }

  std::vector<std::uint8_t> read(unsigned slot) override {
    std::vector<std::uint8_t> content(launch_.slots[slot]->bytes());
    device_->read(*launch_.slots[slot], 0, std::as_writable_bytes(std::span(content)));
    return content;
  }

 private:
  std::string name_;
  std::unique_ptr<driver::Device> device_;
  driver::Launch launch_;
};

}  // namespace

SubjectPtr device_subject(const std::string& device, const config::Config& config, const sim::SlotLines& slots,
                          unsigned stall_percent, std::uint64_t seed) {
  return std::make_unique<DeviceSubject>(device, config, slots, stall_percent, seed);
}

}  // namespace heddle::fuzz
