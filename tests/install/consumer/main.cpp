// Uses what an installed Heddle offers to other programs: assembles a program and runs it on a device.
#include <cstddef>
#include <cstdio>
#include <span>

#include "config/config.h"
#include "driver/device_factory.h"
#include "rtl/isa/assembler.h"

int main() {
  const auto config = heddle::config::load("tiny");
  const auto words = heddle::isa::assemble("LOAD fill=1 n0=4\nHALT", "text", config.cols);
  const auto device = heddle::driver::open_device("functional", config);
  heddle::driver::Launch launch;
  launch.words = words.size();
  launch.program = device->allocate(words.size() * sizeof(words[0]), 0);
  device->write(*launch.program, 0, std::as_bytes(std::span(words)));
  const auto result = device->run(launch);
  std::printf("%s %s", heddle::isa::to_string(result.error).data(), heddle::isa::disassemble(words).c_str());
}
