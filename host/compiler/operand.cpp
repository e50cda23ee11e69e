#include "host/compiler/operand.h"

#include <algorithm>

namespace heddle::compiler {

Operand Operand::streamed(const OperandShape& shape, const DeviceTensor& tensor, bool transposed, std::uint32_t first,
                          std::uint32_t buffers) {
  return {shape, tensor, transposed, shape.tile_pitch(),
          std::make_unique<TileCache>(first, shape.tile_lines(), buffers)};
}

Operand Operand::resident(const OperandShape& shape, const BufferMatrix& matrix) {
  return whole(shape, matrix, DeviceTensor{}, true);
}

Operand Operand::arriving(const OperandShape& shape, const BufferMatrix& matrix, const DeviceTensor& tensor) {
  return whole(shape, matrix, tensor, false);
}

Operand Operand::whole(const OperandShape& shape, const BufferMatrix& matrix, const DeviceTensor& tensor, bool loaded) {
  const std::uint32_t along = shape.k_along_lanes ? shape.k_block : panels_of(shape.outer_block);
  const std::uint32_t across = (shape.k_along_lanes ? shape.outer_block : shape.k_block * kLanes) * matrix.pitch;
  auto places = shape.k_along_lanes ? std::make_unique<WholeMatrix>(matrix.line, across, along, loaded)
                                    : std::make_unique<WholeMatrix>(matrix.line, along, across, loaded);
  return {shape, tensor, matrix.transposed, matrix.pitch, std::move(places)};
}

Operand::Tile Operand::ask(std::uint32_t outer_tile, std::uint32_t k_tile) {
  const TilePlaces::Place place = places_->ask(outer_tile, k_tile);
  return {{place.line, pitch_, transposed_}, place.missing, outer_tile, k_tile};
}

void Operand::load(ProgramBuilder& builder, const Tile& tile) const { load_blocks(builder, tile, 0, shape_.k_block); }

void Operand::load_block(ProgramBuilder& builder, const Tile& tile, std::uint32_t block) const {
  load_blocks(builder, tile, block, 1);
}

void Operand::load_blocks(ProgramBuilder& builder, const Tile& tile, std::uint32_t block, std::uint32_t blocks) const {
  const std::uint64_t outer = std::uint64_t{tile.outer_tile} * shape_.outer_block;
  const auto outer_count =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(shape_.outer_block, shape_.outer - outer));
  const std::uint64_t k_first = std::uint64_t{tile.k_tile} * shape_.k_block + block;  // in blocks
  if (k_first * kLanes >= shape_.k) return;
  const auto k_count =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, divide_up(shape_.k, kLanes) - k_first));
  if (shape_.k_along_lanes) {
    emit_load(builder, tensor_, {outer, outer_count, static_cast<std::uint32_t>(k_first), k_count},
              tile.matrix.line + block, tile.matrix.pitch);
    return;
  }
  const std::uint64_t row = k_first * kLanes;
  const auto rows =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{k_count} * kLanes, shape_.k - row));
  emit_load(builder, tensor_, {row, rows, static_cast<std::uint32_t>(outer / kLanes), panels_of(outer_count)},
            tile.matrix.line + block * kLanes * tile.matrix.pitch, tile.matrix.pitch);
}

}  // namespace heddle::compiler
