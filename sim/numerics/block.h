// bfp16, the array's number format (docs/design.md, section 2): 32 consecutive k share one exponent.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace heddle::numerics {

inline constexpr int kBlock = 32;
inline constexpr std::uint8_t kPoison = 255;  // exponent of a block that holds an Inf or a NaN

struct Block {
  std::array<std::int16_t, kBlock> mantissa{};  // at most 32640 in magnitude; meaningless in a poisoned block
  std::uint8_t exponent = 0;                    // the largest biased exponent of the 32, or kPoison
};

// Of 32 bf16.
Block to_block(std::span<const std::uint16_t, kBlock> bf16);

// The exact sum of the 32 products: 36 bits. Order does not matter.
std::int64_t dot(const Block& a, const Block& b);

// rne(sum * 2^(ea + eb - 282)) as fp32 bits: flushed, Inf on overflow, +0 for sum = 0, NaN if either block is poisoned.
std::uint32_t block_result(std::int64_t sum, std::uint8_t ea, std::uint8_t eb);

}  // namespace heddle::numerics
