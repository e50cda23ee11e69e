// WLOAD and MATMUL: block floating point through the array into accumulators (docs/design.md, sections 2 to 4).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/functional/array_kernel.h"
#include "sim/functional/state.h"

namespace heddle::sim {

class MatrixUnit {
 public:
  explicit MatrixUnit(std::uint32_t cols);

  // The MATMUL that follows consumes the tiles; they are read then, because no instruction stands between.
  void wload(const isa::Wload& tiles) { tiles_ = tiles; }
  void matmul(const isa::Matmul& matmul, const UnifiedBuffer& buffer, Accumulators& accumulators);

 private:
  void read_tile(const UnifiedBuffer& buffer, std::uint32_t pass, std::uint32_t valid_k);
  void read_rows(const isa::Matmul& matmul, const UnifiedBuffer& buffer, std::uint32_t pass, std::uint32_t first,
                 std::uint32_t count, std::uint32_t valid_k);

  std::uint32_t cols_;
  isa::Wload tiles_;
  std::vector<Bf16Row> columns_;   // the current tile, a column a row
  std::vector<TileStrip> strips_;  // the same, converted
  std::vector<Bf16Row> streamed_;  // the current group of streamed rows
  StreamedRows converted_;         // the same, converted
};

}  // namespace heddle::sim
