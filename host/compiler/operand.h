// An operand of a matrix product, tile by tile: in the unified buffer already, or to be loaded from device memory.
#pragma once

#include <memory>

#include "host/compiler/contraction.h"
#include "host/compiler/device_tensor.h"
#include "host/compiler/tile_places.h"

namespace heddle::compiler {

// The operand is outer x k: outer are A's rows or B's columns. A tile is `outer_block` of outer by `k_block` blocks of
// 32 k.
struct OperandShape {
  std::uint64_t outer = 0;
  std::uint64_t k = 0;
  bool k_along_lanes = false;  // the stored rows are outer and k runs along them; otherwise the stored rows are k
  std::uint32_t outer_block = kLanes;
  std::uint32_t k_block = 1;

  std::uint32_t tile_pitch() const { return odd_pitch(k_along_lanes ? k_block : panels_of(outer_block)); }
  std::uint32_t tile_lines() const { return (k_along_lanes ? outer_block : kLanes * k_block) * tile_pitch(); }
  std::uint32_t outer_tiles() const { return static_cast<std::uint32_t>(divide_up(outer, outer_block)); }
  std::uint32_t k_tiles() const { return static_cast<std::uint32_t>(divide_up(k, std::uint64_t{kLanes} * k_block)); }
};

// Of a tile: blocks of k, and rows of A or columns of B from `outer` (a multiple of 32) on. What lies beyond the
// operand is left out.
struct TilePart {
  static constexpr std::uint32_t kAll = 0xFFFFFFFF;
  std::uint32_t block = 0;
  std::uint32_t blocks = kAll;
  std::uint32_t outer = 0;
  std::uint32_t outers = kAll;
};

class Operand {
 public:
  // Tiles come from `tensor` into `buffers` buffers of shape.tile_lines() from line `first`. `transposed` as
  // BufferMatrix has it.
  static Operand streamed(const OperandShape& shape, const DeviceTensor& tensor, bool transposed, std::uint32_t first,
                          std::uint32_t buffers);
  // The whole operand is in the unified buffer.
  static Operand resident(const OperandShape& shape, const BufferMatrix& whole);
  // Its place in the unified buffer is for the whole operand, but its tiles have yet to be loaded.
  static Operand arriving(const OperandShape& shape, const BufferMatrix& whole, const DeviceTensor& tensor);

  struct Tile {
    BufferMatrix matrix;
    bool missing = false;  // to be loaded with `load`, whole or part by part
    std::uint32_t outer_tile = 0;
    std::uint32_t k_tile = 0;
  };
  Tile ask(std::uint32_t outer_tile, std::uint32_t k_tile);

  void load(ProgramBuilder& builder, const Tile& tile, const TilePart& part = {}) const;

 private:
  Operand(const OperandShape& shape, const DeviceTensor& tensor, bool transposed, std::uint32_t pitch,
          std::unique_ptr<TilePlaces> places)
      : shape_(shape), tensor_(tensor), transposed_(transposed), pitch_(pitch), places_(std::move(places)) {}
  static Operand whole(const OperandShape& shape, const BufferMatrix& whole, const DeviceTensor& tensor, bool loaded);

  OperandShape shape_;
  DeviceTensor tensor_;
  bool transposed_;
  std::uint32_t pitch_;
  std::unique_ptr<TilePlaces> places_;
};

}  // namespace heddle::compiler
