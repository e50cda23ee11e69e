// The devices that the conformance suite runs on, and programs in the words of the instruction set.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/error.h"
#include "driver/device_factory.h"

namespace heddle::test {

struct Subject {
  std::string device;
  std::string configuration;
  unsigned stall_percent = 0;
};

inline std::string name_of(const Subject& subject) {
  return subject.device + "_" + subject.configuration +
         (subject.stall_percent != 0 ? "_stalled" + std::to_string(subject.stall_percent) : "");
}

// All devices of this build on the configurations it has.
inline std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const char* configuration : {"tiny", "sim"}) {
    for (const driver::DeviceListing& listing : driver::list_devices(config::load(configuration))) {
      if (!listing.usable || listing.kind == "card") continue;  // cards belong to their owners
      all.push_back({listing.name, configuration});
      if (listing.name == "verilated") all.push_back({listing.name, configuration, 30});
    }
  }
  return all;
}

inline std::unique_ptr<driver::Device> open(const Subject& subject) {
  driver::DeviceOptions options;
  options.stall_percent = subject.stall_percent;
  options.seed = 7;
  return driver::open_device(subject.device, config::load(subject.configuration), options);
}

// ----------------------------------------------------------------------------------------------- programs
inline constexpr std::uint32_t bit(isa::Unit unit) { return 1u << static_cast<unsigned>(unit); }

inline isa::Load load(unsigned slot, std::uint32_t mem_line, std::uint32_t ub_line, std::uint32_t lines) {
  isa::Load i;
  i.slot = slot;
  i.mem_line = mem_line;
  i.buf_line = ub_line;
  i.n0 = lines;
  return i;
}

inline isa::Store store(unsigned slot, std::uint32_t mem_line, std::uint32_t ub_line, std::uint32_t lines) {
  isa::Store i;
  i.slot = slot;
  i.mem_line = mem_line;
  i.buf_line = ub_line;
  i.n0 = lines;
  return i;
}

template <typename Instruction>
Instruction posts(Instruction i, isa::Unit unit) {
  i.post |= bit(unit);
  return i;
}
template <typename Instruction>
Instruction waits(Instruction i, isa::Unit unit) {
  i.wait |= bit(unit);
  return i;
}

using Words = std::vector<isa::Word>;

inline Words program(std::initializer_list<isa::Instruction> instructions) {
  Words words;
  for (const isa::Instruction& i : instructions) words.push_back(isa::encode(i));
  return words;
}

// LOAD from slot 0 and STORE to slot 1, in order.
inline Words copy_program(std::uint32_t ub_line, std::uint32_t lines) {
  return program({posts(load(0, 0, ub_line, lines), isa::Unit::store),
                  waits(store(1, 0, ub_line, lines), isa::Unit::load), isa::Halt{}});
}

using Bytes = std::vector<std::byte>;

inline Bytes random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

inline Bytes contents(driver::Device& device, const driver::BufferPtr& buffer) {
  Bytes bytes(buffer->bytes());
  device.read(*buffer, 0, bytes);
  return bytes;
}

// A device with `slots` buffers of `lines` lines each, slot s on its port.
class Bench {
 public:
  explicit Bench(const Subject& subject) : device(open(subject)) {}

  driver::BufferPtr buffer(unsigned slot, std::size_t lines, const Bytes& bytes = {}) {
    auto buffer = device->allocate(lines * driver::kLineBytes, slot % device->config().axi_ports);
    if (!bytes.empty()) device->write(*buffer, 0, bytes);
    return launch.slots[slot] = buffer;
  }

  void set_program(const Words& words) {
    launch.program = device->allocate(std::max<std::size_t>(words.size(), 1) * sizeof(isa::Word), 0);
    if (!words.empty()) device->write(*launch.program, 0, std::as_bytes(std::span(words)));
    launch.words = words.size();
  }

  driver::RunResult run(const Words& words) {
    set_program(words);
    return device->run(launch);
  }

  std::unique_ptr<driver::Device> device;
  driver::Launch launch;
};

}  // namespace heddle::test
