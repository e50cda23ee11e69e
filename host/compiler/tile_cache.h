// The unified buffer as a cache that the compiler manages: which tile lies in which buffer, least recently used out first.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::compiler {

class TileCache {
 public:
  using Key = std::pair<std::uint32_t, std::uint32_t>;

  // `count` buffers of `lines` lines each, from line `first`.
  TileCache(std::uint32_t first, std::uint32_t lines, std::uint32_t count);

  struct Place {
    std::uint32_t line;
    bool missing;  // the caller has to load the tile now
  };
  Place ask(Key key);

 private:
  struct Buffer {
    std::uint32_t line;
    bool filled = false;
    Key key{};
    std::uint64_t used = 0;
  };
  std::vector<Buffer> buffers_;
  std::uint64_t time_ = 0;
};

}  // namespace heddle::compiler
