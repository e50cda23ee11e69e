// The host's registers of a core (docs/design.md, section 8): byte addresses on AXI4-Lite.
#pragma once

#include <cstdint>

namespace heddle::driver::registers {

inline constexpr std::uint32_t kControl = 0x000;
inline constexpr std::uint32_t kStart = 1, kDone = 2, kIdle = 4;  // bits of kControl
inline constexpr std::uint32_t kGlobalInterrupt = 0x004, kInterruptEnable = 0x008, kInterruptStatus = 0x00C;
inline constexpr std::uint32_t kProgram = 0x010, kProgramWords = 0x018, kWatchdog = 0x01C;
inline constexpr std::uint32_t kSlot = 0x040, kSlotStep = 0x10;
inline constexpr std::uint32_t kError = 0x140, kErrorIndex = 0x144, kWaiting = 0x148, kWaitingFor = 0x14C;
inline constexpr std::uint32_t kMagic = 0x150, kIsaVersion = 0x154, kShape = 0x158, kUbLines = 0x15C, kAccRows = 0x160;
inline constexpr std::uint32_t kCycles = 0x180, kWords = 0x188, kCounter = 0x190, kUnitStep = 40, kCounterStep = 8;
inline constexpr std::uint32_t kMagicValue = 0x4C444548;  // "HEDL"

}  // namespace heddle::driver::registers
