// Hands out ranges of lines of the unified buffer (or rows of the accumulators) while a program is compiled.
//
// A range may be given back and used again at any point of the program: the token placer orders the new use after the old.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::compiler {

class LineAllocator {
 public:
  // `what` names the space in errors.
  LineAllocator(std::string what, std::uint32_t lines);

  // First fit at an even line. Nothing if no gap is large enough.
  std::optional<std::uint32_t> try_allocate(std::uint32_t lines);
  // Throws CompileError that says for what there was no room.
  std::uint32_t allocate(std::uint32_t lines, std::string_view purpose);
  void release(std::uint32_t first);
  std::uint32_t largest_gap() const;

 private:
  std::string what_;
  std::uint32_t lines_;
  std::map<std::uint32_t, std::uint32_t> used_;  // first line -> lines
};

}  // namespace heddle::compiler
