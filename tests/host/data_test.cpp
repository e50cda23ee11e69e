// Files in, samples out; and every way in which a file can be broken.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "host/data/batches.h"
#include "host/data/idx.h"
#include "host/data/random.h"
#include "host/data/recipes.h"
#include "host/data/test_patterns.h"
#include "tests/host/idx_files.h"

namespace heddle {
namespace {

using namespace testing_support;

template <typename F>
std::string error_of(F f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

#define EXPECT_ERROR(expression, text)                                          \
  do {                                                                          \
    const std::string message = error_of([&] { expression; });                  \
    EXPECT_NE(message.find(text), std::string::npos) << "message: " << message; \
  } while (false)

TEST(Idx, ReadsImagesPlainAndGzippedWhateverTheName) {
  TemporaryDirectory dir;
  const Bytes file = idx_images(3, 4, 5);
  for (const std::string& path : {dir.write("plain", file), dir.write("packed", gzip(file)),
                                  dir.write("packed.gz", gzip(file)), dir.write("plain.gz", file)}) {
    const IdxImages images = read_idx_images(path);
    EXPECT_EQ(images.count, 3U);
    EXPECT_EQ(images.rows, 4U);
    EXPECT_EQ(images.columns, 5U);
    EXPECT_TRUE(std::equal(images.pixels.begin(), images.pixels.end(), file.begin() + 16, file.end())) << path;
  }
}

TEST(Idx, ReadsLabels) {
  TemporaryDirectory dir;
  EXPECT_EQ(read_idx_labels(dir.write("labels", idx_labels(5, 3))), (Bytes{0, 1, 2, 0, 1}));
}

TEST(Idx, EmptyDataSetIsLegal) {
  TemporaryDirectory dir;
  EXPECT_EQ(read_idx_images(dir.write("i", idx_images(0, 28, 28))).count, 0U);
  EXPECT_TRUE(read_idx_labels(dir.write("l", idx_labels(0, 1))).empty());
}

TEST(Idx, MissingFileAndDirectory) {
  TemporaryDirectory dir;
  EXPECT_ERROR(read_idx_images(dir.file("nothing")), "nothing");
  EXPECT_ERROR(read_idx_images(dir.path()), dir.path().string());
}

TEST(Idx, SwappedFilesSaySo) {
  TemporaryDirectory dir;
  const auto images = dir.write("images", idx_images(2, 2, 2));
  const auto labels = dir.write("labels", idx_labels(2, 2));
  EXPECT_ERROR(read_idx_images(labels),
               "is a label file, expected an image file; check that images and labels are not swapped");
  EXPECT_ERROR(read_idx_labels(images), "is an image file, expected a label file");
}

TEST(Idx, EveryTruncationIsAnError) {
  TemporaryDirectory dir;
  const Bytes whole = idx_images(2, 3, 3);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(
        error_of([&] {
          read_idx_images(dir.write("cut", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))));
        }),
        "no error")
        << size;
  EXPECT_ERROR(read_idx_images(dir.write("cut", Bytes(whole.begin(), whole.end() - 1))),
               "is truncated: its header asks for 34 bytes, it has 33");
}

TEST(Idx, EveryTruncationOfAGzipIsAnError) {
  TemporaryDirectory dir;
  const Bytes whole = gzip(idx_images(4, 9, 9));
  for (std::size_t size = 2; size < whole.size(); ++size)
    EXPECT_ERROR(
        read_idx_images(dir.write("cut.gz", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)))),
        "gzip stream is truncated");
}

TEST(Idx, DamagedGzipIsAnError) {
  TemporaryDirectory dir;
  Bytes packed = gzip(idx_images(4, 9, 9));
  packed[packed.size() - 6] ^= 0x55;  // its checksum
  EXPECT_ERROR(read_idx_images(dir.write("bad.gz", packed)), "gzip stream is damaged");
  packed = gzip(idx_images(4, 9, 9));
  packed[2] = 99;  // method
  EXPECT_ERROR(read_idx_images(dir.write("bad.gz", packed)), "gzip stream is damaged");
}

TEST(Idx, SurplusBytesAreAnError) {
  TemporaryDirectory dir;
  Bytes file = idx_labels(3, 3);
  file.push_back(0);
  EXPECT_ERROR(read_idx_labels(dir.write("long", file)), "is too long: its header asks for 11 bytes, it has 12");
}

TEST(Idx, GzipMayHaveSeveralStreamsButNothingElse) {
  const TemporaryDirectory dir;
  const Bytes whole = idx_images(4, 9, 9);
  Bytes packed = gzip(Bytes(whole.begin(), whole.begin() + 100));
  const Bytes second = gzip(Bytes(whole.begin() + 100, whole.end()));
  packed.insert(packed.end(), second.begin(), second.end());
  EXPECT_EQ(read_idx_images(dir.write("two.gz", packed)).pixels, Bytes(whole.begin() + 16, whole.end()));
  packed.push_back(0);
  EXPECT_ERROR(read_idx_images(dir.write("tail.gz", packed)), "bytes after its gzip stream");
}

TEST(Recipes, FilesThatCannotBeLookedAtSayWhy) {
  const TemporaryDirectory dir;
  std::filesystem::create_symlink("train-images-idx3-ubyte", dir.path() / "train-images-idx3-ubyte");
  dir.write("train-labels-idx1-ubyte", idx_labels(4, 3));
  EXPECT_ERROR(load_data(dir.path().string()), "symbolic links");
  std::filesystem::create_symlink("loop", dir.path() / "loop");
  EXPECT_ERROR(load_data(dir.file("loop")), "no data set");
}

TEST(Idx, OtherFilesSayTheirMagic) {
  TemporaryDirectory dir;
  EXPECT_ERROR(read_idx_images(dir.write("text", std::string("hello, this is no IDX file"))),
               "magic number 1751477356");
}

TEST(Idx, HeadersThatAskForTheImpossible) {
  TemporaryDirectory dir;
  Bytes zero = idx_images(1, 0, 5);
  EXPECT_ERROR(read_idx_images(dir.write("zero", zero)), "images of 0 x 5");
  Bytes huge;
  for (const std::uint32_t word : {2051U, 0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU}) append_word(huge, word);
  EXPECT_ERROR(read_idx_images(dir.write("huge", huge)), "4294967295 x 4294967295");
}

TEST(Recipes, DirectoryOfPlainAndGzippedFiles) {
  TemporaryDirectory dir;
  write_data_set(dir, 20, 7, 3, 4, 5);
  const DataSplits data = load_data(dir.path().string());
  EXPECT_EQ(data.train.count, 20U);
  EXPECT_EQ(data.test.count, 7U);
  EXPECT_EQ(data.train.features, 12U);
  EXPECT_EQ(data.train.classes, 5U);
  EXPECT_EQ(data.train.labels[6], 1U);
  // Pixel 37 is 37 / 255 = 0.145098 = 0x3E149495, as bf16 0x3E15: rounded up, not cut.
  EXPECT_EQ(data.train.values[1], 0x3E15U);
}

TEST(Recipes, MismatchedFilesSayBothCounts) {
  TemporaryDirectory dir;
  write_data_set(dir, 20, 7, 3, 4, 5);
  dir.write("train-labels-idx1-ubyte", idx_labels(19, 5));
  EXPECT_ERROR(load_data(dir.path().string()), "has 20 images, but ");
  EXPECT_ERROR(load_data(dir.path().string()), "has 19 labels");
}

TEST(Recipes, SplitsOfDifferentSizesAreAnError) {
  TemporaryDirectory dir;
  write_data_set(dir, 20, 7, 3, 4, 5);
  dir.write("t10k-images-idx3-ubyte.gz", gzip(idx_images(7, 4, 4)));
  EXPECT_ERROR(load_data(dir.path().string()), "training images have 12 pixels, test images 16");
}

TEST(Recipes, MissingFilesAndNamesSayHowToGetThem) {
  TemporaryDirectory dir;
  EXPECT_ERROR(load_data(dir.path().string()), "has neither train-images-idx3-ubyte nor train-images-idx3-ubyte.gz");
  EXPECT_ERROR(load_data(dir.file("nowhere")), "neither mnist, nor fashion-mnist, nor a directory");
}

TEST(Batches, EverySampleOnceAndTheRestLast) {
  for (const std::uint64_t count : {0U, 1U, 7U, 128U, 129U, 1000U})
    for (const std::uint64_t size : {1U, 7U, 128U, 5000U}) {
      std::vector<int> seen(count, 0);
      const auto order = sample_order(count, 3, 1, true);
      for (const BatchRange& batch : batches(count, size)) {
        EXPECT_GT(batch.size, 0U);
        EXPECT_LE(batch.size, size);
        for (std::uint64_t i = 0; i < batch.size; ++i) ++seen[order[batch.first + i]];
      }
      EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; })) << count << " by " << size;
    }
}

TEST(Batches, OrderDependsOnSeedAndEpochOnly) {
  EXPECT_EQ(sample_order(100, 1, 0, true), sample_order(100, 1, 0, true));
  EXPECT_NE(sample_order(100, 1, 0, true), sample_order(100, 1, 1, true));
  EXPECT_NE(sample_order(100, 1, 0, true), sample_order(100, 2, 0, true));
  std::vector<std::uint32_t> straight(100);
  std::iota(straight.begin(), straight.end(), 0U);
  EXPECT_EQ(sample_order(100, 1, 0, false), straight);
  EXPECT_NE(sample_order(100, 1, 0, true), straight);
}

// Written down, so that no change of the generator goes unnoticed: digests of trained weights depend on it.
TEST(Random, ValuesAreThoseOfSplitMix64) {
  Random random(0, 0);
  EXPECT_EQ(random.at(0), 0xE220A8397B1DCDAFU);  // the first output of SplitMix64 with state 0
  EXPECT_EQ(random.at(1), 0x6E789E6AA1B965F4U);
  EXPECT_EQ(random.next(), random.at(0));
  EXPECT_EQ(random.next(), random.at(1));
}

TEST(Random, BelowCoversItsRangeEvenly) {
  Random random(1, 2);
  std::vector<int> counts(10, 0);
  for (int i = 0; i < 10000; ++i) ++counts[random.below(10)];
  for (const int n : counts) EXPECT_NEAR(n, 1000, 150);
}

TEST(TestPatterns, AdversarialDataHasEveryKindOfValue) {
  const auto values = test_pattern(Pattern::adversarial, 400, 40, 1, 0);
  const auto count = [&](auto predicate) { return std::count_if(values.begin(), values.end(), predicate); };
  EXPECT_GT(count([](std::uint16_t x) { return (x & 0x7FFF) == 0x7F80; }), 0);                          // Inf
  EXPECT_GT(count([](std::uint16_t x) { return (x & 0x7FFF) > 0x7F80; }), 0);                           // NaN
  EXPECT_GT(count([](std::uint16_t x) { return (x & 0x7F80) == 0 && (x & 0x7F) != 0; }), 0);            // subnormal
  EXPECT_GT(count([](std::uint16_t x) { return (x & 0x7F80) > 0x7000 && (x & 0x7F80) < 0x7F80; }), 0);  // huge
  EXPECT_GT(count([](std::uint16_t x) { return x == 0x8000; }), 0);                                     // -0
}

}  // namespace
}  // namespace heddle
