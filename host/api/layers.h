// What a Sequential model is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class Activation : std::uint8_t { linear, relu };

// y = activation(x W + b): W is features x units, b one row.
struct Dense {
  std::uint64_t units = 0;
  Activation activation = Activation::linear;
  std::string name = {};  // "dense_1", "dense_2", ... unless given
};

// v = momentum * v + gradient; w = w - learning_rate * v.
struct Sgd {
  float learning_rate = 0.01F;
  float momentum = 0;
};

enum class Loss : std::uint8_t { sparse_categorical_crossentropy };  // of logits; the mean over the batch

}  // namespace heddle
