#include "host/compiler/tile_cache.h"

#include <algorithm>

namespace heddle::compiler {

TileCache::TileCache(std::uint32_t first, std::uint32_t lines, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) buffers_.push_back({.line = first + i * lines});
}

TileCache::Place TileCache::ask(Key key) {
  ++time_;
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

}  // namespace heddle::compiler
