// What a prediction is worth, computed on the host from logits.
#pragma once

#include <cstdint>
#include <span>

namespace heddle {

// Index of the first largest element; NaN is never the largest. Elements.size() if all are NaN or there are none.
std::size_t arg_max(std::span<const float> elements);

// -log softmax(logits)[label], in double.
double cross_entropy(std::span<const float> logits, std::uint32_t label);

struct ClassificationMetrics {
  std::uint64_t samples = 0;
  std::uint64_t correct = 0;
  double loss_sum = 0;

  // `logits` is row-major with as many rows as labels.
  void add(std::span<const float> logits, std::span<const std::uint32_t> labels);
  double accuracy() const;
  double loss() const;
};

}  // namespace heddle
