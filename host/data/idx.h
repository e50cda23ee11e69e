// IDX files (http://yann.lecun.com/exdb/mnist): big-endian header, then bytes; plain or gzipped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace heddle {

struct IdxImages {
  std::uint64_t count = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::vector<std::uint8_t> pixels;
};

// A file is unpacked if it is gzipped, whatever its name. Throws InputError for a file that is missing, truncated, too
// long, damaged, or of the other kind, and says which.
IdxImages read_idx_images(const std::filesystem::path& path);
std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path);

}  // namespace heddle
