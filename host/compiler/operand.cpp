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

void Operand::load(ProgramBuilder& builder, const Tile& tile, const TilePart& part) const {
  const std::uint64_t outer = std::uint64_t{tile.outer_tile} * shape_.outer_block + part.outer;
  const std::uint64_t block = std::uint64_t{tile.k_tile} * shape_.k_block + part.block;
  if (outer >= shape_.outer || block * kLanes >= shape_.k || part.outer >= shape_.outer_block ||
      part.block >= shape_.k_block)
    return;
  const auto outers = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({part.outers, shape_.outer_block - part.outer, shape_.outer - outer}));
  const auto blocks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({part.blocks, shape_.k_block - part.block, divide_up(shape_.k, kLanes) - block}));
  const BufferMatrix& m = tile.matrix;
  if (shape_.k_along_lanes) {
    emit_load(builder, tensor_, {outer, outers, static_cast<std::uint32_t>(block), blocks},
              m.line + part.outer * m.pitch + part.block, m.pitch);
    return;
  }
  const std::uint64_t row = block * kLanes;
  const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{blocks} * kLanes, shape_.k - row));
  emit_load(builder, tensor_, {row, rows, static_cast<std::uint32_t>(outer / kLanes), panels_of(outers)},
            m.line + part.block * kLanes * m.pitch + part.outer / kLanes, m.pitch);
}

}  // namespace heddle::compiler
