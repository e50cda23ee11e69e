#include "host/compiler/operand.h"

#include <algorithm>

namespace heddle::compiler {

StreamedOperand::Tile StreamedOperand::ask(std::uint32_t outer_tile, std::uint32_t k_tile) {
  const TileCache::Place place = cache_.ask({outer_tile, k_tile});
  return {{place.line, shape_.pitch(), transposed_}, place.missing, outer_tile, k_tile};
}

void StreamedOperand::load(ProgramBuilder& builder, const Tile& tile) const {
  load_blocks(builder, tile, 0, shape_.k_block);
}

void StreamedOperand::load_block(ProgramBuilder& builder, const Tile& tile, std::uint32_t block) const {
  load_blocks(builder, tile, block, 1);
}

void StreamedOperand::load_blocks(ProgramBuilder& builder, const Tile& tile, std::uint32_t block,
                                  std::uint32_t blocks) const {
  const std::uint64_t outer = std::uint64_t{tile.outer_tile} * shape_.outer_block;
  const auto outer_count = static_cast<std::uint32_t>(std::min<std::uint64_t>(shape_.outer_block, shape_.outer - outer));
  const std::uint64_t k_first = std::uint64_t{tile.k_tile} * shape_.k_block + block;  // in blocks
  if (k_first * kLanes >= shape_.k) return;
  const auto k_count = static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, divide_up(shape_.k, kLanes) - k_first));
  if (shape_.k_along_lanes) {
    emit_load(builder, tensor_, {outer, outer_count, static_cast<std::uint32_t>(k_first), k_count},
              tile.matrix.line + block, tile.matrix.pitch);
    return;
  }
  const std::uint64_t row = k_first * kLanes;
  const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{k_count} * kLanes, shape_.k - row));
  emit_load(builder, tensor_, {row, rows, static_cast<std::uint32_t>(outer / kLanes), panels_of(outer_count)},
            tile.matrix.line + block * kLanes * tile.matrix.pitch, tile.matrix.pitch);
}

}  // namespace heddle::compiler
