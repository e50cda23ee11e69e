// An Alveo card as the linker has to know it: bitstreams/cards/*.toml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "driver/xclbin/kernel_interface.h"

namespace heddle::bitstreams {

// Memory as the linker names it: "DDR[1]", or "HBM[4:7]" for neighbours that are used as one.
struct MemoryRange {
  xclbin::MemoryKind kind = xclbin::MemoryKind::ddr;
  std::uint32_t first = 0, last = 0;
  std::string text() const;
  bool operator==(const MemoryRange&) const = default;
};

struct CorePlace {
  std::string slr;                 // the die
  std::vector<MemoryRange> ports;  // of each data port; the program shares port 0's
};

struct Card {
  config::Config config;
  std::string part, platform;
  std::vector<CorePlace> cores;
};

// Throws InputError that names file and key, also for a card that does not have what its configuration asks for.
Card load_card(const std::filesystem::path& file);

// What a pointer argument of a core reaches.
const MemoryRange& memory_of(const Card& card, std::uint32_t core, const xclbin::Argument& argument);

// The kernel on this card, with all memory that is connected; bank addresses are not known before linking.
xclbin::KernelInterface card_interface(const Card& card);

}  // namespace heddle::bitstreams
