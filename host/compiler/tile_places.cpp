#include "host/compiler/tile_places.h"

#include <algorithm>

namespace heddle::compiler {

TileCache::TileCache(std::uint32_t first, std::uint32_t lines, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) buffers_.push_back({.line = first + i * lines});
}

TilePlaces::Place TileCache::ask(std::uint32_t outer_tile, std::uint32_t k_tile) {
  ++time_;
  const Key key{outer_tile, k_tile};
  for (Buffer& b : buffers_)
    if (b.filled && b.key == key) {
      b.used = time_;
      return {b.line, false};
    }
  Buffer& oldest = *std::min_element(buffers_.begin(), buffers_.end(),
                                     [](const Buffer& x, const Buffer& y) { return x.used < y.used; });
  oldest.filled = true;
  oldest.key = key;
  oldest.used = time_;
  return {oldest.line, true};
}

TilePlaces::Place WholeMatrix::ask(std::uint32_t outer_tile, std::uint32_t k_tile) {
  const std::uint32_t line = first_ + outer_tile * outer_step_ + k_tile * k_step_;
  return {line, !loaded_ && present_.insert({outer_tile, k_tile}).second};
}

}  // namespace heddle::compiler
