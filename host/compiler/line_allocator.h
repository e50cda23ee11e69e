// Hands out ranges of lines of the unified buffer (or rows of the accumulators) while a program is compiled.
//
// A range may be given back and used again at any point of the program: the token placer orders the new use after the
// old.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::compiler {

class LineAllocator {
 public:
  enum class Policy {
    first_fit,
    rotating,  // from the end of the last range on, so that what was freed last is used last
  };
  // `what` names the space in errors.
  LineAllocator(std::string what, std::uint32_t lines, Policy policy = Policy::first_fit);

  // At an even line. Nothing if no gap is large enough.
  std::optional<std::uint32_t> try_allocate(std::uint32_t lines);
  // Throws CompileError that says for what there was no room.
  std::uint32_t allocate(std::uint32_t lines, std::string_view purpose);
  void release(std::uint32_t first);
  std::uint32_t largest_gap() const;

 private:
  std::optional<std::uint32_t> find(std::uint32_t from, std::uint32_t lines) const;

  std::string what_;
  std::uint32_t lines_;
  Policy policy_;
  std::uint32_t next_ = 0;
  std::map<std::uint32_t, std::uint32_t> used_;  // first line -> lines
};

}  // namespace heddle::compiler
