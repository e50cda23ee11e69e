#include "tests/reference/random_data.h"

namespace heddle::plain {
namespace {

std::uint32_t assembled(std::uint32_t sign, std::uint32_t exponent, std::uint32_t fraction) {
  return sign << 31 | exponent << 23 | (fraction & 0x7FFFFF);
}

}  // namespace

std::uint32_t random_fp32(Random& random, Data kind, std::size_t index) {
  const auto sign = static_cast<std::uint32_t>(random() & 1);
  const auto fraction = static_cast<std::uint32_t>(random() & 0x7FFFFF);
  static constexpr std::uint32_t kSpecials[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345,
                                                0x7F800001, 0x80000000, 0x7F7FFFFF, 0x00800000};
  switch (kind) {
    case Data::ordinary:
      return assembled(sign, pick(random, 120, 129), fraction);
    case Data::wide:
      return assembled(sign, pick(random, 0, 254), fraction);
    case Data::saturating:
      return assembled(0, 127, 0x7FFFFF);
    case Data::alternating:
      return assembled(index & 1, 127, 0x7FFFFF);
    case Data::subnormal:
      return assembled(sign, pick(random, 0, 2), chance(random, 30) ? 0 : fraction);
    case Data::special:
      return chance(random, 3) ? kSpecials[random() % 8] : assembled(sign, pick(random, 120, 129), fraction);
    case Data::one_hot:
      return index % 32 == 13 ? assembled(sign, pick(random, 100, 150), fraction) : sign << 31;
    case Data::whole:
      if (const std::uint32_t value = pick(random, 0, 31); value != 0) {
        std::uint32_t exponent = 127;
        while (value >> (exponent - 127 + 1) != 0) ++exponent;
        return assembled(0, exponent, value << (23 - (exponent - 127)));
      }
      return 0;
    case Data::bits:
      return static_cast<std::uint32_t>(random());
  }
  return 0;
}

void fill_bf16(Random& random, Data kind, std::span<std::uint16_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint16_t>(random_fp32(random, kind, i) >> 16);
}

void fill_fp32(Random& random, Data kind, std::span<std::uint32_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = random_fp32(random, kind, i);
}

Data random_kind(Random& random) {
  static constexpr Data kOften[] = {Data::ordinary,    Data::ordinary,  Data::wide,    Data::saturating,
                                    Data::alternating, Data::subnormal, Data::one_hot, Data::whole};
  if (chance(random, 4)) return Data::bits;
  if (chance(random, 4)) return Data::special;
  return kOften[random() % 8];
}

}  // namespace heddle::plain
