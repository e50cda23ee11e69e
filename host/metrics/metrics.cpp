#include "host/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {

std::size_t arg_max(std::span<const float> elements) {
  std::size_t best = elements.size();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (std::isnan(elements[i])) continue;
    if (best == elements.size() || elements[i] > elements[best]) best = i;
  }
  return best;
}

double cross_entropy(std::span<const float> logits, std::uint32_t label) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const float x : logits) {
    if (std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, static_cast<double>(x));
  }
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x) - largest);
  return std::log(sum) - (static_cast<double>(logits[label]) - largest);
}

void ClassificationMetrics::add(std::span<const float> logits, std::span<const std::uint32_t> labels) {
  if (labels.empty()) return;
  const std::size_t classes = logits.size() / labels.size();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = logits.subspan(i * classes, classes);
    correct += arg_max(row) == labels[i] ? 1 : 0;
    loss_sum += cross_entropy(row, labels[i]);
  }
  samples += labels.size();
}

double ClassificationMetrics::accuracy() const {
  return samples == 0 ? 0.0 : static_cast<double>(correct) / static_cast<double>(samples);
}

double ClassificationMetrics::loss() const { return samples == 0 ? 0.0 : loss_sum / static_cast<double>(samples); }

}  // namespace heddle
