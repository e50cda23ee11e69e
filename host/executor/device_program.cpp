#include "host/executor/device_program.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "common/error.h"

namespace heddle {
namespace {

constexpr auto kRunLimit = std::chrono::hours(2);  // the device's own watchdog ends a program that hangs much sooner

std::span<const std::byte> bytes_of(std::span<const isa::Word> words) { return std::as_bytes(words); }

}  // namespace

DeviceProgram::DeviceProgram(driver::Device& device, compiler::Program program)
    : device_(device), program_(std::move(program)) {
  const auto bytes = bytes_of(program_.words);
  buffer_ = device_.allocate(bytes.size(), 0);
  device_.write(*buffer_, 0, bytes);
}

void DeviceProgram::set(compiler::ConstantName name, float value) {
  for (const compiler::Patch& patch : program_.patches) {
    if (patch.constant.name != name) continue;
    program_.words[patch.word] = compiler::patched(patch, value);
    write_word(patch.word);
  }
}

void DeviceProgram::write_word(std::size_t index) {
  device_.write(*buffer_, index * sizeof(isa::Word), bytes_of({&program_.words[index], 1}));
}

void DeviceProgram::start(const SlotBuffers& slots) {
  driver::Launch launch;
  launch.program = buffer_;
  launch.words = program_.words.size();
  launch.slots = slots;
  device_.start(launch);
}

driver::Counters DeviceProgram::wait() {
  const driver::RunResult result = device_.wait(kRunLimit);
  if (result.error == isa::Error::none) return result.counters;
  std::string message = "device " + device_.info().name + " stopped at word " + std::to_string(result.error_index) +
                        " of the program: " + std::string(isa::to_string(result.error));
  if (!result.waiting.empty()) message += " (" + result.waiting + ")";
  throw DeviceError(message);
}

}  // namespace heddle
