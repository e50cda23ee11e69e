// Model descriptions (models/*.json) and weight files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/api/sequential.h"

namespace heddle {

// What a description says: the layers and how to train them.
struct ModelDescription {
  ModelSpec spec;
  Sgd optimizer;
  Loss loss = Loss::sparse_categorical_crossentropy;
  std::uint64_t batch_size = 32;
};

// JSON with the keys name, input (list of sizes, flattened), layers (list of {"type": "dense", "units", "activation"}),
// loss
// {"sparse_categorical_crossentropy"}, optimizer ({"type": "sgd", "learning_rate", "momentum"}), metrics (["accuracy"])
// and batch_size. Throws InputError that names file, key and legal values; unknown keys are errors.
ModelDescription read_model(const std::filesystem::path& path);
ModelDescription parse_model(const std::string& text, const std::string& origin);

// A new model as described.
Sequential make_model(const ModelDescription& description);

// Weights as a safetensors file: 8 bytes length of the header, JSON header, little-endian fp32. Reading throws
// InputError for a file that is truncated, damaged, or has tensors other than fp32 matrices.
void write_weights(const std::filesystem::path& path, const std::vector<NamedTensor>& weights);
std::vector<NamedTensor> read_weights(const std::filesystem::path& path);

}  // namespace heddle
