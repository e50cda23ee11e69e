#include "rtl/isa/isa.h"

#include <algorithm>

namespace heddle::isa {

const InstructionInfo* find(std::uint32_t opcode) {
  const auto all = table();
  const auto place = std::find_if(all.begin(), all.end(),
                                  [&](const auto& info) { return static_cast<std::uint32_t>(info.opcode) == opcode; });
  return place == all.end() ? nullptr : &*place;
}

const InstructionInfo* find(std::string_view mnemonic) {
  const auto all = table();
  const auto place = std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.name == mnemonic; });
  return place == all.end() ? nullptr : &*place;
}

}  // namespace heddle::isa
