#include "driver/emulation/board.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "common/error.h"

namespace heddle::emulation {
namespace {

constexpr std::uint32_t kNobody = 0xDEADBEEF;

}  // namespace

void EmulatedBoard::add(std::uint64_t base, std::unique_ptr<Kernel> kernel) {
  if (base % kWindowBytes != 0) {
    throw InputError("a compute unit at address " + std::to_string(base) +
                     " of the emulated board; use a multiple of " + std::to_string(kWindowBytes));
  }
  if (!units_.emplace(base, std::move(kernel)).second) {
    throw InputError("two compute units at address " + std::to_string(base) +
                     " of the emulated board; give each one its own");
  }
}

Kernel* EmulatedBoard::find(std::uint64_t address) const {
  const auto unit = units_.find(address / kWindowBytes * kWindowBytes);
  return unit == units_.end() ? nullptr : unit->second.get();
}

void EmulatedBoard::write_registers(std::uint64_t address, std::span<const std::byte> data) {
  for (std::size_t at = 0; at + 4 <= data.size(); at += 4) {
    std::uint32_t value;
    std::memcpy(&value, &data[at], 4);
    if (Kernel* unit = find(address + at)) {
      unit->write(static_cast<std::uint32_t>((address + at) % kWindowBytes), value);
    }
  }
}

void EmulatedBoard::read_registers(std::uint64_t address, std::span<std::byte> data) {
  for (std::size_t at = 0; at + 4 <= data.size(); at += 4) {
    Kernel* unit = find(address + at);
    const std::uint32_t value =
        unit != nullptr ? unit->read(static_cast<std::uint32_t>((address + at) % kWindowBytes)) : kNobody;
    std::memcpy(&data[at], &value, 4);
  }
}

const Kernel* EmulatedBoard::running_at(std::uint64_t address) const {
  const Kernel* unit = address % kWindowBytes == 0 ? find(address) : nullptr;
  return unit != nullptr && unit->running() ? unit : nullptr;
}

bool EmulatedBoard::running() const {
  return std::any_of(units_.begin(), units_.end(), [](const auto& unit) { return unit.second->running(); });
}

std::uint64_t EmulatedBoard::runs() const {
  std::uint64_t runs = 0;
  for (const auto& [base, unit] : units_) runs += unit->runs();
  return runs;
}

void EmulatedBoard::advance() {
  for (auto& [base, unit] : units_) {
    if (unit->running()) unit->advance();
  }
}

}  // namespace heddle::emulation
