// Whatever can run programs, behind one face, so that any two can be compared.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "rtl/isa/isa.h"
#include "sim/functional/checker.h"
#include "sim/functional/operation.h"

namespace heddle::fuzz {

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string name() const = 0;
  virtual sim::Outcome run(std::span<const isa::Word> program) = 0;
  // The content of a slot, all its lines.
  virtual void write(unsigned slot, std::span<const std::uint8_t> content) = 0;
  virtual std::vector<std::uint8_t> read(unsigned slot) = 0;
};

using SubjectPtr = std::unique_ptr<Subject>;

SubjectPtr functional_subject(const config::Config& config, const sim::SlotLines& slots);

// tests/reference/machine.h; ends where the dispatcher's checks of the functional model say.
SubjectPtr plain_subject(const config::Config& config, const sim::SlotLines& slots);

// A device of the driver ("verilated", "functional"). `stall_percent`: random back-pressure.
SubjectPtr device_subject(const std::string& device, const config::Config& config, const sim::SlotLines& slots,
                          unsigned stall_percent, std::uint64_t seed);

}  // namespace heddle::fuzz
