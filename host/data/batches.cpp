#include "host/data/batches.h"

#include <algorithm>
#include <numeric>

#include "host/data/random.h"

namespace heddle {

std::vector<std::uint32_t> sample_order(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch, bool shuffle) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  if (!shuffle) return order;
  Random random(seed, 1 + epoch);
  for (std::uint64_t i = count; i-- > 1;) std::swap(order[i], order[random.below(i + 1)]);
  return order;
}

std::vector<BatchRange> batches(std::uint64_t count, std::uint64_t batch_size) {
  std::vector<BatchRange> result;
  for (std::uint64_t first = 0; first < count; first += batch_size)
    result.push_back({first, std::min(batch_size, count - first)});
  return result;
}

}  // namespace heddle
