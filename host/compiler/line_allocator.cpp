#include "host/compiler/line_allocator.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "common/error.h"

namespace heddle::compiler {
namespace {

constexpr std::uint32_t round_up_to_pair(std::uint32_t line) { return (line + 1) & ~1U; }

}  // namespace

LineAllocator::LineAllocator(std::string what, std::uint32_t lines, Policy policy)
    : what_(std::move(what)), lines_(lines), policy_(policy) {}

std::optional<std::uint32_t> LineAllocator::find(std::uint32_t from, std::uint32_t lines) const {
  std::uint32_t candidate = from;
  for (const auto& [first, count] : used_) {
    if (first + count <= candidate) continue;
    if (first >= candidate + lines) break;
    candidate = round_up_to_pair(first + count);
  }
  if (candidate + lines > lines_) return std::nullopt;
  return candidate;
}

std::optional<std::uint32_t> LineAllocator::try_allocate(std::uint32_t lines) {
  auto first = find(policy_ == Policy::rotating ? next_ : 0, lines);
  if (!first) first = find(0, lines);
  if (!first) return std::nullopt;
  used_[*first] = lines;
  next_ = round_up_to_pair(*first + lines);
  return first;
}

std::uint32_t LineAllocator::allocate(std::uint32_t lines, std::string_view purpose) {
  if (const auto first = try_allocate(lines)) return *first;
  throw CompileError(std::string(purpose) + " needs " + std::to_string(lines) + " consecutive lines of the " + what_ +
                     ", of which " + std::to_string(largest_gap()) + " of " + std::to_string(lines_) +
                     " are free; use a smaller batch, narrower layers or a larger configuration");
}

void LineAllocator::release(std::uint32_t first) {
  [[maybe_unused]] const auto erased = used_.erase(first);
  assert(erased == 1);
}

std::uint32_t LineAllocator::largest_gap() const {
  std::uint32_t gap = 0;
  std::uint32_t candidate = 0;
  for (const auto& [first, count] : used_) {
    if (first > candidate) gap = std::max(gap, first - candidate);
    candidate = round_up_to_pair(first + count);
  }
  return candidate < lines_ ? std::max(gap, lines_ - candidate) : gap;
}

}  // namespace heddle::compiler
