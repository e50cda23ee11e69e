#include "host/data/recipes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <filesystem>

#include "common/error.h"
#include "common/memory.h"
#include "host/data/idx.h"
#include "sim/numerics/bf16.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr char kFashionDirectory[] = "/usr/share/datasets/fashion-mnist";

std::array<std::uint16_t, 256> pixel_values() {
  std::array<std::uint16_t, 256> values{};
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = numerics::to_bf16(std::bit_cast<std::uint32_t>(static_cast<float>(i) / 255.0F));
  return values;
}

// False also where there is no looking; opening the file then says why.
bool directory_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// The file, plain or gzipped.
fs::path find_file(const fs::path& directory, const std::string& stem) {
  for (const char* suffix : {"", ".gz"}) {
    const fs::path path = directory / (stem + suffix);
    std::error_code error;
    if (fs::exists(path, error) || error) return path;  // reading it says what the error is
  }
  throw InputError("directory " + directory.string() + " has neither " + stem + " nor " + stem +
                   ".gz; a data set consists of {train,t10k}-images-idx3-ubyte and {train,t10k}-labels-idx1-ubyte");
}

Dataset load_split(const fs::path& directory, const std::string& split) {
  const fs::path images = find_file(directory, split + "-images-idx3-ubyte");
  const fs::path labels = find_file(directory, split + "-labels-idx1-ubyte");
  return load_idx_pair(images.string(), labels.string());
}

DataSplits load_directory(const std::string& name, const fs::path& directory) {
  DataSplits splits{name, load_split(directory, "train"), load_split(directory, "t10k")};
  if (splits.train.features != splits.test.features)
    throw InputError("directory " + directory.string() + ": training images have " +
                     std::to_string(splits.train.features) + " pixels, test images " +
                     std::to_string(splits.test.features));
  return splits;
}

fs::path fashion_directory() {
  if (directory_exists(kFashionDirectory)) return kFashionDirectory;
  throw InputError(std::string("Fashion-MNIST is not in ") + kFashionDirectory +
                   "; install it with: apt-get install dataset-fashion-mnist");
}

fs::path mnist_directory() {
  std::vector<fs::path> candidates;
  if (const char* root = std::getenv("HEDDLE_DATA"); root != nullptr && *root != '\0')
    candidates.push_back(fs::path(root) / "mnist");
  candidates.push_back(fs::path("data") / "mnist");
  std::string looked;
  for (const fs::path& candidate : candidates) {
    if (directory_exists(candidate)) return candidate;
    looked += (looked.empty() ? "" : ", ") + candidate.string();
  }
  throw InputError("MNIST is not in " + looked +
                   "; fetch it with scripts/fetch_mnist.sh, or name a directory with --data");
}

}  // namespace

Dataset load_idx_pair(const std::string& images_path, const std::string& labels_path) {
  const IdxImages images = read_idx_images(images_path);
  const std::vector<std::uint8_t> labels = read_idx_labels(labels_path);
  if (images.count != labels.size())
    throw InputError(images_path + " has " + std::to_string(images.count) + " images, but " + labels_path + " has " +
                     std::to_string(labels.size()) + " labels; the two do not belong together");
  Dataset data;
  data.name = images_path;
  data.count = images.count;
  data.features = images.rows * images.columns;
  const auto values = pixel_values();
  require_memory(images.pixels.size() * sizeof(std::uint16_t), "the samples of " + images_path + " take");
  data.values.reserve(images.pixels.size());
  for (const std::uint8_t pixel : images.pixels) data.values.push_back(values[pixel]);
  data.labels.assign(labels.begin(), labels.end());
  data.classes = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1U;
  return data;
}

DataSplits load_data(const std::string& name_or_directory) {
  if (name_or_directory == "fashion-mnist") return load_directory(name_or_directory, fashion_directory());
  if (name_or_directory == "mnist") return load_directory(name_or_directory, mnist_directory());
  if (!directory_exists(name_or_directory))
    throw InputError("no data set " + name_or_directory + ": it is neither mnist, nor fashion-mnist, nor a directory");
  return load_directory(name_or_directory, name_or_directory);
}

}  // namespace heddle
