// Where the tiles of an operand lie in the unified buffer while a program is compiled.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace heddle::compiler {

class TilePlaces {
 public:
  struct Place {
    std::uint32_t line;
    bool missing;  // the caller has to load the tile now
  };
  virtual ~TilePlaces() = default;
  virtual Place ask(std::uint32_t outer_tile, std::uint32_t k_tile) = 0;
};

// The unified buffer as a cache that the compiler manages: least recently used out first.
class TileCache : public TilePlaces {
 public:
  // `count` buffers of `lines` lines each, from line `first`.
  TileCache(std::uint32_t first, std::uint32_t lines, std::uint32_t count);
  Place ask(std::uint32_t outer_tile, std::uint32_t k_tile) override;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  struct Buffer {
    std::uint32_t line;
    bool filled = false;
    Key key{};
    std::uint64_t used = 0;
  };
  std::vector<Buffer> buffers_;
  std::uint64_t time_ = 0;
};

// A matrix that lies in the unified buffer as a whole; its tiles are missing once if they come from device memory.
class WholeMatrix : public TilePlaces {
 public:
  WholeMatrix(std::uint32_t first, std::uint32_t outer_step, std::uint32_t k_step, bool loaded)
      : first_(first), outer_step_(outer_step), k_step_(k_step), loaded_(loaded) {}
  Place ask(std::uint32_t outer_tile, std::uint32_t k_tile) override;

 private:
  std::uint32_t first_;
  std::uint32_t outer_step_;  // lines from a tile to the next
  std::uint32_t k_step_;
  bool loaded_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> present_;
};

}  // namespace heddle::compiler
