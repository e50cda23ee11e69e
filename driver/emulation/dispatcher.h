// What each request of the host does to the board, and what is answered.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "driver/emulation/board.h"
#include "driver/emulation/wire.h"

namespace heddle::emulation {

struct Reply {
  MessageWriter message;
  std::span<const std::byte> rest;  // follows the message; device memory, valid until the next request
  bool wanted = true;               // false: nothing is to be sent
  bool last = false;                // the host closes the device
};

class Dispatcher {
 public:
  // `setting` hears of each key and value of [Emulation] in the host's xrt.ini.
  using Setting = std::function<void(std::string_view key, std::string_view value)>;
  Dispatcher(EmulatedBoard& board, Setting setting) : board_(board), setting_(std::move(setting)) {}

  // Throws WireError for a malformed body or an unknown call, DeviceError if the hardware fails.
  Reply handle(Call call, std::span<const std::byte> body);

  // Text that the host prints when it asks for messages next.
  void report(const std::string& text) { report_ += text + "\n"; }

 private:
  Reply allocate(std::span<const std::byte> body);
  Reply release(std::span<const std::byte> body);
  Reply copy_to_device(std::span<const std::byte> body);
  Reply copy_from_device(std::span<const std::byte> body);
  Reply write_registers(std::span<const std::byte> body);
  Reply read_registers(std::span<const std::byte> body);
  Reply write_memory(std::span<const std::byte> body);
  Reply read_memory(std::span<const std::byte> body);
  Reply messages();
  Reply set_environment(std::span<const std::byte> body);
  Reply posted(std::span<const std::byte> body);
  bool store(std::uint64_t address, std::span<const std::byte> data);

  EmulatedBoard& board_;
  Setting setting_;
  std::map<std::uint64_t, std::uint64_t> buffers_;  // address, bytes
  std::string report_;
};

}  // namespace heddle::emulation
