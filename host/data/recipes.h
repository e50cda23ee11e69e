// Where data sets are found, and how files become samples.
#pragma once

#include <string>

#include "host/data/dataset.h"

namespace heddle {

struct DataSplits {
  std::string name;
  Dataset train;
  Dataset test;
};

// "fashion-mnist" (Debian package dataset-fashion-mnist), "mnist" (fetched by scripts/fetch_mnist.sh), or a directory
// that holds the four IDX files train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte,
// t10k-labels-idx1-ubyte, plain or with the suffix .gz. "mnist" is looked for in $HEDDLE_DATA/mnist, then data/mnist
// under the working directory. Pixels become bf16 values pixel / 255. Classes are 0 to the largest label of the
// training set. Throws InputError that says what is missing and how to get it.
DataSplits load_data(const std::string& name_or_directory);

// One pair of files.
Dataset load_idx_pair(const std::string& images, const std::string& labels);

}  // namespace heddle
