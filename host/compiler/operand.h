// An operand of a matrix product that comes from device memory tile by tile.
#pragma once

#include "host/compiler/contraction.h"
#include "host/compiler/device_tensor.h"
#include "host/compiler/tile_cache.h"

namespace heddle::compiler {

// The operand is outer x k: outer are A's rows or B's columns. A tile is `outer_block` of outer by `k_block` blocks of 32 k.
struct OperandShape {
  std::uint64_t outer = 0;
  std::uint64_t k = 0;
  bool k_along_lanes = false;  // the stored rows are outer and k runs along them; otherwise the stored rows are k
  std::uint32_t outer_block = kLanes;
  std::uint32_t k_block = 1;

  std::uint32_t pitch() const { return odd_pitch(k_along_lanes ? k_block : panels_of(outer_block)); }
  std::uint32_t tile_lines() const { return (k_along_lanes ? outer_block : kLanes * k_block) * pitch(); }
  std::uint32_t outer_tiles() const { return static_cast<std::uint32_t>(divide_up(outer, outer_block)); }
  std::uint32_t k_tiles() const { return static_cast<std::uint32_t>(divide_up(k, std::uint64_t{kLanes} * k_block)); }
};

class StreamedOperand {
 public:
  // `transposed_in_buffer` as BufferMatrix has it. Buffers for `tiles` tiles from line `first`.
  StreamedOperand(const OperandShape& shape, const DeviceTensor& tensor, bool transposed_in_buffer, std::uint32_t first,
                  std::uint32_t tiles)
      : shape_(shape), tensor_(tensor), transposed_(transposed_in_buffer), cache_(first, shape.tile_lines(), tiles) {}

  // Where a tile is. One that is missing has to be loaded with `load`, whole or block of k by block of k.
  struct Tile {
    BufferMatrix matrix;
    bool missing = false;
    std::uint32_t outer_tile = 0;
    std::uint32_t k_tile = 0;
  };
  Tile ask(std::uint32_t outer_tile, std::uint32_t k_tile);
  void load(ProgramBuilder& builder, const Tile& tile) const;
  void load_block(ProgramBuilder& builder, const Tile& tile, std::uint32_t block) const;

 private:
  void load_blocks(ProgramBuilder& builder, const Tile& tile, std::uint32_t block, std::uint32_t blocks) const;

  OperandShape shape_;
  DeviceTensor tensor_;
  bool transposed_;
  TileCache cache_;
};

}  // namespace heddle::compiler
