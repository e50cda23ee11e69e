// Which samples make up which batch: each sample once per epoch, in an order that depends on seed and epoch only.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

// Fisher-Yates with Random(seed, 1 + epoch): for i from count - 1 down to 1, swap i with a number drawn from 0 to i.
// Without `shuffle` 0, 1, 2, ...
std::vector<std::uint32_t> sample_order(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch, bool shuffle);

// A batch is the samples order[first] to order[first + size - 1].
struct BatchRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};
// All samples, `batch_size` at a time; the last batch holds the rest.
std::vector<BatchRange> batches(std::uint64_t count, std::uint64_t batch_size);

}  // namespace heddle
