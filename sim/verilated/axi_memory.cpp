#include "sim/verilated/axi_memory.h"

#include <algorithm>
#include <cstring>

namespace heddle::sim {
namespace {

constexpr std::uint8_t kOkay = 0, kSlaveError = 2, kDecodeError = 3;
constexpr unsigned kMaxBeats = 64;
constexpr std::uint64_t kPage = 4096;

}  // namespace

AxiMemory::AxiMemory(DeviceMemory& storage, unsigned ports, const AxiTiming& timing)
    : storage_(storage), timing_(timing), ports_(ports + 1), credit_(storage.banks()) {
  for (unsigned p = 0; p < ports; ++p) {
    ports_[p].bank = p % storage.banks();
  }
  ports_[ports].reaches_all = true;
  random_ = timing.seed * 0x9E3779B97F4A7C15ull + 0x2545F4914F6CDD1Dull;
}

std::uint64_t AxiMemory::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

void AxiMemory::drive() {
  ++cycle_;
  const int full = static_cast<int>(std::max<unsigned>(timing_.bytes_per_cycle, kBeatBytes));
  for (int& credit : credit_) {
    credit = std::min(credit + static_cast<int>(timing_.bytes_per_cycle), full);
  }
  const std::size_t count = ports_.size();
  const std::size_t first = cycle_ % count;  // nobody is always first at a bank
  for (std::size_t i = 0; i < count; ++i) {
    Port& port = ports_[first + i < count ? first + i : first + i - count];
    unsigned pause = 0;  // one bit a channel
    if (timing_.stall_percent != 0) {
      std::uint64_t bits = random();
      for (unsigned channel = 0; channel < 5; ++channel, bits >>= 12) {
        pause |= static_cast<unsigned>((bits & 0xFFF) * 100 < timing_.stall_percent * 4096ull) << channel;
      }
    }
    AxiSlavePins& pins = port.pins;
    pins.ar_ready = port.reads.size() < timing_.outstanding && !(pause & 1);
    pins.aw_ready = port.writes.size() + port.responses.size() < timing_.outstanding && !(pause & 2);
    // Reads and writes take turns where both want a bank.
    if (cycle_ & 1) {
      drive_read(port, pause & 4);
      drive_write(port, pause & 8);
    } else {
      drive_write(port, pause & 8);
      drive_read(port, pause & 4);
    }
    drive_response(port, pause & 16);
  }
}

void AxiMemory::drive_read(Port& port, bool pause) {
  AxiSlavePins& pins = port.pins;
  if (pins.r_valid || pause || port.reads.empty()) {  // what is offered stays
    return;
  }
  Burst& burst = port.reads.front();
  if (burst.due > cycle_) {
    return;
  }
  const std::uint64_t address = burst.address + burst.done * kBeatBytes;
  const std::uint8_t response = response_of(port, address, Access::read);
  if (response != kDecodeError) {
    int& credit = credit_[storage_.bank_of(address)];
    if (credit < static_cast<int>(kBeatBytes)) {
      return;
    }
    credit -= static_cast<int>(kBeatBytes);
  }
  if (response == kOkay) {
    std::memcpy(pins.r_data.data(), storage_.at(address, kBeatBytes), kBeatBytes);
  } else {
    pins.r_data.fill(0xDEADBEEF);
  }
  pins.r_response = response;
  pins.r_last = ++burst.done == burst.beats;
  pins.r_valid = true;
  if (pins.r_last) {
    port.reads.pop_front();
  }
}

void AxiMemory::drive_write(Port& port, bool pause) {
  int& credit = credit_[port.bank];
  port.pins.w_ready = !pause && !port.writes.empty() && credit >= static_cast<int>(kBeatBytes);
  port.write_reserved = port.pins.w_ready && port.last.w_valid;  // it probably wants
  if (port.write_reserved) {
    credit -= static_cast<int>(kBeatBytes);
  }
}

void AxiMemory::drive_response(Port& port, bool pause) {
  AxiSlavePins& pins = port.pins;
  if (pins.b_valid || pause || port.responses.empty() || port.responses.front().due > cycle_) {
    return;
  }
  pins.b_valid = true;
  pins.b_response = port.responses.front().response;
}

void AxiMemory::clock(unsigned index, const AxiMasterPins& master) {
  Port& port = ports_[index];
  AxiSlavePins& pins = port.pins;
  const AxiMasterPins& last = port.last;
  if (port.last_ar_refused &&
      (!master.ar_valid || master.ar_address != last.ar_address || master.ar_length != last.ar_length)) {
    violation(index, "a read address was withdrawn or changed before it was taken");
  }
  if (port.last_aw_refused &&
      (!master.aw_valid || master.aw_address != last.aw_address || master.aw_length != last.aw_length)) {
    violation(index, "a write address was withdrawn or changed before it was taken");
  }
  if (port.last_w_refused && (!master.w_valid || master.w_last != last.w_last)) {
    violation(index, "a write beat was withdrawn or changed before it was taken");
  }
  port.last_ar_refused = master.ar_valid && !pins.ar_ready;
  port.last_aw_refused = master.aw_valid && !pins.aw_ready;
  port.last_w_refused = master.w_valid && !pins.w_ready;

  if (pins.r_valid && master.r_ready) {
    pins.r_valid = false;
    ++port.statistics.read_beats;
  }
  if (pins.b_valid && master.b_ready) {
    pins.b_valid = false;
    port.responses.pop_front();
  }
  if (master.w_valid && pins.w_ready) {
    Burst& burst = port.writes.front();
    const std::uint64_t address = burst.address + burst.done * kBeatBytes;
    const std::uint8_t response = response_of(port, address, Access::write);
    if (response == kOkay) {
      std::memcpy(storage_.at(address, kBeatBytes), master.w_data, kBeatBytes);
    }
    burst.response = std::max(burst.response, response);
    ++port.statistics.write_beats;
    if ((++burst.done == burst.beats) != master.w_last) {
      violation(index, "the last write beat is marked wrongly (beat " + std::to_string(burst.done) + " of " +
                           std::to_string(burst.beats) + ")");
    }
    if (master.w_last) {
      burst.due = cycle_ + timing_.write_latency;
      port.responses.push_back(burst);
      port.writes.pop_front();
    }
    if (!port.write_reserved) {
      credit_[port.bank] -= static_cast<int>(kBeatBytes);
    }
  } else if (port.write_reserved) {
    credit_[port.bank] += static_cast<int>(kBeatBytes);
  }
  if (master.ar_valid && pins.ar_ready) {
    check_burst(index, "read", master.ar_address, master.ar_length + 1u);
    port.reads.push_back({master.ar_address, master.ar_length + 1u, 0, cycle_ + timing_.read_latency, 0});
    ++port.statistics.read_bursts;
  }
  if (master.aw_valid && pins.aw_ready) {
    check_burst(index, "write", master.aw_address, master.aw_length + 1u);
    if (port.reaches_all) {
      violation(index, "the program port writes");
    }
    port.writes.push_back({master.aw_address, master.aw_length + 1u, 0, 0, 0});
    ++port.statistics.write_bursts;
  }
  port.last = master;
}

void AxiMemory::check_burst(unsigned port, const char* channel, std::uint64_t address, unsigned beats) const {
  const char* fault = address % kBeatBytes != 0                                       ? " is not aligned to 64 bytes"
                      : beats > kMaxBeats                                             ? " is longer than 64 beats"
                      : address / kPage != (address + beats * kBeatBytes - 1) / kPage ? " crosses a 4 KiB boundary"
                                                                                      : nullptr;
  if (fault != nullptr) {
    violation(port, std::string(channel) + " burst of " + std::to_string(beats) + " beats at " +
                        std::to_string(address) + fault);
  }
}

void AxiMemory::violation(unsigned port, const std::string& what) const {
  throw ProtocolError("AXI port " + std::to_string(port) + ", cycle " + std::to_string(cycle_) + ": " + what);
}

std::uint8_t AxiMemory::response_of(const Port& port, std::uint64_t address, Access access) const {
  if (storage_.at(address, kBeatBytes) == nullptr || (!port.reaches_all && storage_.bank_of(address) != port.bank)) {
    return kDecodeError;
  }
  for (const Range& range : errors_) {
    if (address <= range.last && address + kBeatBytes - 1 >= range.first &&
        (range.access == Access::any || range.access == access)) {
      return kSlaveError;
    }
  }
  return kOkay;
}

void AxiMemory::reset() {
  for (Port& port : ports_) {
    port.pins = {};
    port.last = {};
    port.last_ar_refused = port.last_aw_refused = port.last_w_refused = port.write_reserved = false;
    port.reads.clear();
    port.writes.clear();
    port.responses.clear();
  }
}

bool AxiMemory::idle() const {
  return std::all_of(ports_.begin(), ports_.end(), [](const Port& port) {
    return port.reads.empty() && port.writes.empty() && port.responses.empty() && !port.pins.r_valid;
  });
}

std::string AxiMemory::describe() const {
  std::string text;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    const Port& port = ports_[p];
    if (!port.reads.empty() || !port.writes.empty() || !port.responses.empty() || port.pins.r_valid) {
      text += (p + 1 == ports_.size() ? "program port" : "AXI port " + std::to_string(p)) + ": " +
              std::to_string(port.reads.size()) + " reads, " + std::to_string(port.writes.size()) +
              " writes without data, " + std::to_string(port.responses.size()) + " responses outstanding\n";
    }
  }
  return text;
}

}  // namespace heddle::sim
