// Writes what run_program needs: an xclbin of a configuration, and a matrix product with the memory before and after it,
// as the functional device computes it.
//     make_case CONFIGURATION M N K XCLBIN CASE
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "common/files.h"
#include "config/config.h"
#include "driver/device_factory.h"
#include "driver/xclbin/image.h"
#include "host/data/test_patterns.h"
#include "host/executor/gemm.h"

namespace {

using namespace heddle;
using Bytes = std::vector<std::byte>;

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
    program_.resize(launch.words * 16);
    before_ = contents();
    inner_.start(launch);
  }
  driver::RunResult wait(std::chrono::milliseconds limit) override {
    driver::RunResult result = inner_.wait(limit);
    after_ = contents();
    return result;
  }

  void save(const std::string& path) const {
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

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: make_case CONFIGURATION M N K XCLBIN CASE\n");
    return 2;
  }
  const config::Config config = config::load(argv[1]);
  const compiler::GemmShape shape{std::stoull(argv[2]), std::stoull(argv[3]), std::stoull(argv[4])};
  const auto device = driver::open_device("functional", config);
  Recorder recorder(*device);
  run_gemm(recorder, shape, test_pattern(Pattern::random, shape.m, shape.k, 1, 0),
           test_pattern(Pattern::random, shape.k, shape.n, 1, 1));
  recorder.save(argv[6]);
  write_atomically(argv[5], xclbin::make_emulated(config, ""));
  return 0;
}
