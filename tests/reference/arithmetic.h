// The arithmetic of docs/design.md, section 2, a second time: integers only, one step after the other, nothing shared
// with sim/numerics. Slow and plain on purpose; tests compare everything else with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::plain {

// sign, magnitude * 2^exponent -> fp32 bits: nearest even, flush, overflow to infinity. magnitude 0 gives zero of the
// sign.
std::uint32_t round_fp32(bool negative, unsigned __int128 magnitude, int exponent);

std::uint32_t add(std::uint32_t a, std::uint32_t b);
std::uint32_t subtract(std::uint32_t a, std::uint32_t b);
std::uint32_t multiply(std::uint32_t a, std::uint32_t b);
std::uint32_t maximum(std::uint32_t a, std::uint32_t b);
std::uint32_t relu(std::uint32_t x);
bool is_greater(std::uint32_t a, std::uint32_t b);
bool is_equal(std::uint32_t a, std::uint32_t b);

// NaN to the one NaN, subnormals to zero of their sign.
std::uint32_t read_fp32(std::uint32_t x);
std::uint32_t read_bf16(std::uint16_t x);
std::uint16_t to_bf16(std::uint32_t x);

// fp32 bits of a small whole number.
std::uint32_t fp32_of(int value);

// The contribution of one block of at most 32 k: a and b are bf16 of equal length, missing elements count as zero.
std::uint32_t block_result(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b);

// C[m][n] = sum over k of A[m][k] * B[k][n], row-major bf16, blocks of 32 k ascending, fp32 result. `start` (m * n) or
// empty: what the accumulators hold before.
std::vector<std::uint32_t> gemm(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b, std::size_t m,
                                std::size_t n, std::size_t k, std::span<const std::uint32_t> start = {});

}  // namespace heddle::plain
