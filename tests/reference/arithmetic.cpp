#include "tests/reference/arithmetic.h"

#include <algorithm>

namespace heddle::plain {
namespace {

constexpr std::uint32_t kTheNan = 0x7FC00000;

struct Parts {
  bool negative;
  int exponent;            // biased
  std::uint32_t fraction;  // 23 bits
};

Parts split(std::uint32_t x) { return {(x >> 31) == 1, static_cast<int>((x >> 23) & 0xFF), x & 0x7FFFFF}; }
bool is_nan(const Parts& p) { return p.exponent == 255 && p.fraction != 0; }
bool is_infinite(const Parts& p) { return p.exponent == 255 && p.fraction == 0; }
bool is_zero(const Parts& p) { return p.exponent == 0; }  // subnormals count as zero
std::int64_t significand(const Parts& p) { return is_zero(p) ? 0 : (std::int64_t{1} << 23) + p.fraction; }
std::uint32_t signed_bits(bool negative, std::uint32_t magnitude) { return (negative ? 0x80000000u : 0u) + magnitude; }

int top_bit(unsigned __int128 x) {
  int top = -1;
  while (x != 0) {
    x >>= 1;
    ++top;
  }
  return top;
}

// Orders numbers that are not NaN: -1, 0, 1.
int compare(std::uint32_t a, std::uint32_t b) {
  const auto key = [](std::uint32_t x) {
    const Parts p = split(x);
    const std::int64_t magnitude = is_zero(p) ? 0 : static_cast<std::int64_t>(x & 0x7FFFFFFF);
    return p.negative ? -magnitude : magnitude;
  };
  return key(a) < key(b) ? -1 : (key(a) > key(b) ? 1 : 0);
}

// rne(sig * 2^(7 - distance))
int aligned(int sig, int distance) {
  std::int64_t scaled = static_cast<std::int64_t>(sig) * 128;
  if (distance > 30) return 0;
  const std::int64_t unit = std::int64_t{1} << distance;
  std::int64_t quotient = scaled / unit;
  const std::int64_t twice_rest = 2 * (scaled % unit);
  if (twice_rest > unit || (twice_rest == unit && quotient % 2 == 1)) ++quotient;
  return static_cast<int>(quotient);
}

int largest_exponent(std::span<const std::uint16_t> block) {
  int largest = 0;
  for (std::uint16_t x : block) largest = std::max(largest, (x >> 7) & 0xFF);
  return largest;
}

std::int64_t block_integer(std::uint16_t x, int largest) {
  const int exponent = (x >> 7) & 0xFF;
  const int sig = exponent == 0 ? 0 : 128 + (x & 0x7F);
  const int magnitude = aligned(sig, largest - exponent);
  return (x & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::uint32_t round_fp32(bool negative, unsigned __int128 magnitude, int exponent) {
  if (magnitude == 0) return signed_bits(negative, 0);
  const int top = top_bit(magnitude);
  int power = top + exponent;  // of the leading bit
  std::uint64_t significand24;
  if (top <= 23) {
    significand24 = static_cast<std::uint64_t>(magnitude) << (23 - top);
  } else {
    const int dropped = top - 23;
    significand24 = static_cast<std::uint64_t>(magnitude >> dropped);
    const unsigned __int128 rest = magnitude & ((static_cast<unsigned __int128>(1) << dropped) - 1);
    const unsigned __int128 half = static_cast<unsigned __int128>(1) << (dropped - 1);
    if (rest > half || (rest == half && (significand24 & 1) == 1)) ++significand24;
    if (significand24 == (1u << 24)) {
      significand24 >>= 1;
      ++power;
    }
  }
  if (power > 127) return signed_bits(negative, 0x7F800000);
  if (power < -126) return signed_bits(negative, 0);
  return signed_bits(negative, (static_cast<std::uint32_t>(power + 127) << 23) +
                                   static_cast<std::uint32_t>(significand24 - (1u << 23)));
}

std::uint32_t read_fp32(std::uint32_t x) {
  const Parts p = split(x);
  if (is_nan(p)) return kTheNan;
  return is_zero(p) ? signed_bits(p.negative, 0) : x;
}

std::uint32_t read_bf16(std::uint16_t x) { return read_fp32(static_cast<std::uint32_t>(x) << 16); }

std::uint32_t add(std::uint32_t a, std::uint32_t b) {
  Parts x = split(a);
  Parts y = split(b);
  if (is_nan(x) || is_nan(y)) return kTheNan;
  if (is_infinite(x) && is_infinite(y)) return x.negative == y.negative ? signed_bits(x.negative, 0x7F800000) : kTheNan;
  if (is_infinite(x)) return a;
  if (is_infinite(y)) return b;
  if (is_zero(x) && is_zero(y)) return signed_bits(x.negative && y.negative, 0);
  if (is_zero(x)) return b;
  if (is_zero(y)) return a;
  if (x.exponent < y.exponent) std::swap(x, y);
  // In units of 2^(x.exponent - 150 - 64); a smaller operand that lies below all of them still decides ties.
  const int distance = x.exponent - y.exponent;
  __int128 larger = static_cast<__int128>(significand(x)) << 64;
  __int128 smaller = distance <= 64 ? static_cast<__int128>(significand(y)) << (64 - distance) : __int128{1};
  if (x.negative) larger = -larger;
  if (y.negative) smaller = -smaller;
  const __int128 sum = larger + smaller;
  if (sum == 0) return 0;
  return round_fp32(sum < 0, static_cast<unsigned __int128>(sum < 0 ? -sum : sum), x.exponent - 150 - 64);
}

std::uint32_t subtract(std::uint32_t a, std::uint32_t b) { return add(a, b ^ 0x80000000u); }

std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  const Parts x = split(a);
  const Parts y = split(b);
  const bool negative = x.negative != y.negative;
  if (is_nan(x) || is_nan(y)) return kTheNan;
  if (is_infinite(x) || is_infinite(y)) return is_zero(x) || is_zero(y) ? kTheNan : signed_bits(negative, 0x7F800000);
  if (is_zero(x) || is_zero(y)) return signed_bits(negative, 0);
  const auto product = static_cast<unsigned __int128>(significand(x)) * static_cast<unsigned __int128>(significand(y));
  return round_fp32(negative, product, x.exponent + y.exponent - 300);
}

bool is_greater(std::uint32_t a, std::uint32_t b) {
  return !is_nan(split(a)) && !is_nan(split(b)) && compare(a, b) > 0;
}
bool is_equal(std::uint32_t a, std::uint32_t b) { return !is_nan(split(a)) && !is_nan(split(b)) && compare(a, b) == 0; }

std::uint32_t maximum(std::uint32_t a, std::uint32_t b) {
  if (is_nan(split(a)) || is_nan(split(b))) return kTheNan;
  const int order = compare(a, b);
  if (order > 0) return read_fp32(a);
  if (order < 0) return read_fp32(b);
  return split(a).negative ? read_fp32(b) : read_fp32(a);  // of two zeros the positive one
}

std::uint32_t relu(std::uint32_t x) {
  if (is_nan(split(x))) return kTheNan;
  return is_greater(x, 0) ? x : 0;
}

std::uint16_t to_bf16(std::uint32_t x) {
  if (is_nan(split(x))) return 0x7FC0;
  const std::uint32_t clean = read_fp32(x);
  std::uint32_t upper = clean / 65536;
  const std::uint32_t rest = clean % 65536;
  if (rest > 32768 || (rest == 32768 && upper % 2 == 1)) ++upper;
  return static_cast<std::uint16_t>(upper);
}

std::uint32_t fp32_of(int value) {
  return round_fp32(value < 0, static_cast<unsigned __int128>(value < 0 ? -value : value), 0);
}

std::uint32_t block_result(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b) {
  const int ea = largest_exponent(a);
  const int eb = largest_exponent(b);
  if (ea == 255 || eb == 255) return kTheNan;
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += block_integer(a[k], ea) * block_integer(b[k], eb);
  if (sum == 0) return 0;
  return round_fp32(sum < 0, static_cast<unsigned __int128>(sum < 0 ? -sum : sum), ea + eb - 282);
}

std::vector<std::uint32_t> gemm(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b, std::size_t m,
                                std::size_t n, std::size_t k, std::span<const std::uint32_t> start) {
  std::vector<std::uint32_t> c(m * n, 0);
  if (!start.empty()) c.assign(start.begin(), start.end());
  std::vector<std::uint16_t> column;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k0 = 0; k0 < k; k0 += 32) {
        const std::size_t count = std::min<std::size_t>(32, k - k0);
        column.clear();
        for (std::size_t t = 0; t < count; ++t) column.push_back(b[(k0 + t) * n + j]);
        c[i * n + j] = add(c[i * n + j], block_result(a.subspan(i * k + k0, count), column));
      }
  return c;
}

}  // namespace heddle::plain
