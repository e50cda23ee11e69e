// AXI4 device memory for simulations: latency, bandwidth per bank, several ports, random stalls, planted errors.
//
// Use, once a cycle: drive(); hand pins(port) to the RTL; evaluate; clock(port, what the RTL drove) for each port.
// The memory's pins depend on earlier cycles only.
//
// Timing: the first beat of a read comes `read_latency` cycles after its address, a response `write_latency` cycles
// after the last beat of its burst; a bank moves `bytes_per_cycle`, reads and writes together; a port one beat a cycle
// and direction. Port p reaches bank p mod banks; the last port, for programs, reaches every bank and only reads. What
// a port cannot reach is a DECERR. Transactions of a port stay in order (one ID).
//
// Everything that AXI4 or docs/design.md forbids a master throws ProtocolError.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/verilated/device_memory.h"

namespace heddle::sim {

class ProtocolError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct AxiTiming {
  unsigned bytes_per_cycle = 64;
  unsigned read_latency = 80;
  unsigned write_latency = 80;
  unsigned stall_percent = 0;  // probability that a channel pauses in a cycle
  std::uint64_t seed = 1;      // of the stalls
  unsigned outstanding = 64;   // bursts per port and direction
};

// What the memory drives.
struct AxiSlavePins {
  bool ar_ready = false;
  bool r_valid = false, r_last = false;
  std::uint8_t r_response = 0;
  bool aw_ready = false, w_ready = false;
  bool b_valid = false;
  std::uint8_t b_response = 0;
  std::array<std::uint32_t, 16> r_data{};
};

// What the RTL drives; lengths are beats less one. `w_data`: 16 words, read only if w_valid.
struct AxiMasterPins {
  bool ar_valid = false;
  std::uint64_t ar_address = 0;
  std::uint8_t ar_length = 0;
  bool r_ready = false;
  bool aw_valid = false;
  std::uint64_t aw_address = 0;
  std::uint8_t aw_length = 0;
  bool w_valid = false, w_last = false;
  const std::uint32_t* w_data = nullptr;
  bool b_ready = false;
};

struct AxiPortStatistics {
  std::uint64_t read_bursts = 0, read_beats = 0, write_bursts = 0, write_beats = 0;
};

class AxiMemory {
 public:
  // `ports` data ports and one for programs, which is pins(ports).
  AxiMemory(DeviceMemory& storage, unsigned ports, const AxiTiming& timing);

  void drive();
  const AxiSlavePins& pins(unsigned port) const { return ports_[port].pins; }
  void clock(unsigned port, const AxiMasterPins& master);

  // Beats that touch [first, last] answer with SLVERR, all or only those of one direction; writes are not done.
  enum class Access { any, read, write };
  void plant_error(std::uint64_t first, std::uint64_t last, Access access = Access::any) {
    errors_.push_back({first, last, access});
  }
  void clear_errors() { errors_.clear(); }

  // Forgets all transactions, as a reset of the design does; storage stays.
  void reset();

  bool idle() const;
  const AxiPortStatistics& statistics(unsigned port) const { return ports_[port].statistics; }
  // One line for each port that has something outstanding.
  std::string describe() const;

 private:
  struct Burst {
    std::uint64_t address;
    unsigned beats;
    unsigned done = 0;
    std::uint64_t due = 0;
    std::uint8_t response = 0;
  };
  struct Port {
    unsigned bank = 0;
    bool reaches_all = false;
    AxiSlavePins pins;
    AxiMasterPins last;  // of the cycle before, to see what was withdrawn
    bool last_ar_refused = false, last_aw_refused = false, last_w_refused = false;
    bool write_reserved = false;  // bandwidth was set aside for a beat in this cycle
    std::deque<Burst> reads, writes, responses;
    AxiPortStatistics statistics;
  };
  struct Range {
    std::uint64_t first, last;
    Access access;
  };

  void drive_read(Port& port, bool pause);
  void drive_write(Port& port, bool pause);
  void drive_response(Port& port, bool pause);
  void check_burst(unsigned port, const char* channel, std::uint64_t address, unsigned beats) const;
  [[noreturn]] void violation(unsigned port, const std::string& what) const;
  std::uint8_t response_of(const Port& port, std::uint64_t address, Access access) const;
  std::uint64_t random();

  DeviceMemory& storage_;
  AxiTiming timing_;
  std::vector<Port> ports_;
  std::vector<int> credit_;  // bytes that each bank may still move
  std::vector<Range> errors_;
  std::uint64_t cycle_ = 0;
  std::uint64_t random_;
};

}  // namespace heddle::sim
