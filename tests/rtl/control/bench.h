// Seeds and how to replay a failure with one.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/isa/random_words.h"

namespace heddle::test {

// The seed of a random test: its own, or HEDDLE_SEED to replay a failure.
inline std::uint64_t seed_or(std::uint64_t fallback) {
  const char* text = std::getenv("HEDDLE_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
}

inline std::string replay(std::uint64_t seed) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  return "replay: HEDDLE_SEED=" + std::to_string(seed) + " <program> --gtest_filter=" + info->test_suite_name() + "." +
         info->name();
}

}  // namespace heddle::test
