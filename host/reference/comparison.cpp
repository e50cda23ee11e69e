#include "host/reference/comparison.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "host/data/random.h"

namespace heddle::reference {
namespace {

constexpr std::size_t kTile = 16;
constexpr std::uint64_t kSampleStream = std::uint64_t{1} << 48;  // apart from those of the operands

class Comparer {
 public:
  Comparer(std::span<const float> c, const Gemm& expected) : c_(c), expected_(expected) {
    assert(c.size() == expected.rows() * expected.columns());
  }

  void check(std::size_t row, std::size_t column) {
    const auto found = std::bit_cast<std::uint32_t>(c_[row * expected_.columns() + column]);
    const std::uint32_t wanted = expected_.at(row, column);
    ++result_.checked;
    if (found == wanted) return;
    ++result_.wrong;
    if (!result_.first) result_.first = Difference{row, column, found, wanted};
  }

  const Comparison& result() const { return result_; }

 private:
  std::span<const float> c_;
  const Gemm& expected_;
  Comparison result_;
};

// A tile of C: the last ones of a row or column may be smaller than 16 x 16.
struct Tile {
  std::size_t row;
  std::size_t column;
  std::size_t rows;
  std::size_t columns;
};

void check_all(Comparer& comparer, const Tile& tile) {
  for (std::size_t i = 0; i < tile.rows; ++i)
    for (std::size_t j = 0; j < tile.columns; ++j) comparer.check(tile.row + i, tile.column + j);
}

// i -> factor * i + offset mod 16 with an odd factor is a permutation. In a smaller tile what lies beyond an edge is
// folded back, so that all its rows and columns still have their element.
void check_sample(Comparer& comparer, const Tile& tile, std::uint64_t random) {
  const std::size_t factor = random % kTile | 1;
  const std::size_t offset = random / kTile % kTile;
  for (std::size_t i = 0; i < kTile; ++i) {
    const std::size_t j = (factor * i + offset) % kTile;
    if (i >= tile.rows && j >= tile.columns) continue;
    comparer.check(tile.row + i % tile.rows, tile.column + j % tile.columns);
  }
}

}  // namespace

Comparison compare(std::span<const float> c, const Gemm& expected, Coverage coverage, std::uint64_t seed) {
  Comparer comparer(c, expected);
  Random random(seed, kSampleStream);
  for (std::size_t row = 0; row < expected.rows(); row += kTile)
    for (std::size_t column = 0; column < expected.columns(); column += kTile) {
      const Tile tile{row, column, std::min(kTile, expected.rows() - row),
                      std::min(kTile, expected.columns() - column)};
      if (coverage == Coverage::all || tile.rows * tile.columns <= kTile)
        check_all(comparer, tile);
      else
        check_sample(comparer, tile, random.next());
    }
  return comparer.result();
}

}  // namespace heddle::reference
