#include "tests/emulation/case_file.h"

#include <fstream>
#include <string>
#include <vector>

#include "driver/device_factory.h"
#include "host/data/test_patterns.h"
#include "host/executor/gemm.h"

namespace heddle::emulation {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kWordBytes = 16;

// Passes everything on to another device and keeps what a launch found and left in memory.
class Recorder final : public driver::Device {
 public:
  explicit Recorder(driver::Device& inner) : inner_(inner) {}

  const driver::DeviceInfo& info() const override { return inner_.info(); }
  const config::Config& config() const override { return inner_.config(); }
  driver::BufferPtr allocate(std::size_t bytes, unsigned port) override { return inner_.allocate(bytes, port); }
  void write(driver::Buffer& buffer, std::size_t offset, std::span<const std::byte> data) override {
    inner_.write(buffer, offset, data);
  }
  void read(const driver::Buffer& buffer, std::size_t offset, std::span<std::byte> data) override {
    inner_.read(buffer, offset, data);
  }
  void start(const driver::Launch& launch) override {
    launch_ = launch;
    program_ = content(launch.program);
    program_.resize(launch.words * kWordBytes);
    before_ = contents();
    inner_.start(launch);
  }
  driver::RunResult wait(std::chrono::milliseconds limit) override {
    driver::RunResult result = inner_.wait(limit);
    after_ = contents();
    return result;
  }

  void save(const std::filesystem::path& path) const {
    std::ofstream file(path, std::ios::binary);
    put(file, program_);
    for (std::size_t s = 0; s < driver::kSlots; ++s) {
      put(file, before_[s]);
      put(file, after_[s]);
    }
  }

 private:
  Bytes content(const driver::BufferPtr& buffer) {
    Bytes data(buffer ? buffer->bytes() : 0);
    if (buffer) inner_.read(*buffer, 0, data);
    return data;
  }
  std::vector<Bytes> contents() {
    std::vector<Bytes> all;
    for (const auto& slot : launch_.slots) all.push_back(content(slot));
    return all;
  }
  static void put(std::ostream& file, const Bytes& data) {
    const std::uint64_t size = data.size();
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(size));
  }

  driver::Device& inner_;
  driver::Launch launch_;
  Bytes program_;
  std::vector<Bytes> before_, after_;
};

}  // namespace

void write_product_case(const std::filesystem::path& path, const config::Config& config, std::uint64_t m,
                        std::uint64_t n, std::uint64_t k) {
  const auto device = driver::open_device("functional", config);
  Recorder recorder(*device);
  constexpr std::uint64_t kSeed = 1;
  run_gemm(recorder, {m, n, k}, test_pattern(Pattern::random, m, k, kSeed, 0),
           test_pattern(Pattern::random, k, n, kSeed, 1));
  recorder.save(path);
}

}  // namespace heddle::emulation
