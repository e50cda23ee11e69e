#include "host/data/test_patterns.h"

#include "host/data/random.h"

namespace heddle {
namespace {

constexpr std::uint16_t kSign = 0x8000;
constexpr std::uint16_t kInfinity = 0x7F80;
constexpr std::uint16_t kNan = 0x7FC0;

std::uint16_t make(std::uint64_t sign, std::uint64_t exponent, std::uint64_t fraction) {
  return static_cast<std::uint16_t>((sign & 1) << 15 | (exponent & 0xFF) << 7 | (fraction & 0x7F));
}

std::uint16_t moderate(Random& random) {
  const std::uint64_t bits = random.next();
  return make(bits, 123 + (bits >> 8) % 9, bits >> 32);
}

enum class RowKind : std::uint8_t { saturating, alternating, one_hot, spread, denormal, moderate, with_special };
constexpr std::uint64_t kRowKinds = 7;

std::uint16_t adversarial(Random& random, RowKind kind, std::uint64_t column, std::uint64_t hot) {
  const std::uint64_t bits = random.next();
  switch (kind) {
    case RowKind::saturating:
      return make(0, 140, 0x7F);
    case RowKind::alternating:
      return make(column, 127, 0x7F);
    case RowKind::one_hot:
      return column == hot ? make(bits, 1 + (bits >> 8) % 254, bits >> 32) : static_cast<std::uint16_t>(bits & kSign);
    case RowKind::spread:
      return make(bits, 1 + (bits >> 8) % 254, bits >> 32);
    case RowKind::denormal:
      return make(bits, (bits >> 8) % 3, bits >> 32);
    case RowKind::moderate:
      return moderate(random);
    case RowKind::with_special:
      if (column == hot) return (bits & 2) != 0 ? kNan : static_cast<std::uint16_t>(kInfinity | (bits & kSign));
      return moderate(random);
  }
  return 0;
}

}  // namespace

std::vector<std::uint16_t> test_pattern(Pattern pattern, std::uint64_t rows, std::uint64_t columns, std::uint64_t seed,
                                        std::uint64_t stream) {
  Random random(seed, stream);
  std::vector<std::uint16_t> values;
  values.reserve(rows * columns);
  for (std::uint64_t row = 0; row < rows; ++row) {
    // Infinities and NaN are rare: they hide everything else in what they touch.
    std::uint64_t kind = random.below(kRowKinds);
    if (kind == static_cast<std::uint64_t>(RowKind::with_special) && random.below(8) != 0) kind = 0;
    const std::uint64_t hot = columns > 0 ? random.below(columns) : 0;
    for (std::uint64_t column = 0; column < columns; ++column)
      values.push_back(pattern == Pattern::random ? moderate(random)
                                                  : adversarial(random, static_cast<RowKind>(kind), column, hot));
  }
  return values;
}

}  // namespace heddle
