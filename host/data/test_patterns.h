// bf16 operands for checks of matrix products.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

enum class Pattern : std::uint8_t {
  random,       // both signs, magnitudes spread over 2^-4 to 2^4
  adversarial,  // row by row: saturating, alternating signs, one-hot, huge exponent spread, denormals, rarely Inf and
                // NaN
};

// rows x columns elements; the same for the same seed and stream.
std::vector<std::uint16_t> test_pattern(Pattern pattern, std::uint64_t rows, std::uint64_t columns, std::uint64_t seed,
                                        std::uint64_t stream);

}  // namespace heddle
