// SHA-256 (FIPS 180-4): names the content of files and of trained weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace heddle {

class Sha256 {
 public:
  void add(std::span<const std::byte> data);
  std::string finish();  // 64 hexadecimal digits; the object is spent afterwards

 private:
  void block(const std::byte* data);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};
  std::uint64_t bytes_ = 0;
};

std::string sha256(std::span<const std::byte> data);

}  // namespace heddle
