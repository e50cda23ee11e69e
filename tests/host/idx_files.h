// IDX files made on the spot.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <vector>

#include "tests/host/temporary_directory.h"

namespace heddle::testing_support {

using Bytes = std::vector<std::uint8_t>;

inline void append_word(Bytes& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

inline Bytes idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns) {
  Bytes bytes;
  for (const std::uint32_t word : {2051U, count, rows, columns}) append_word(bytes, word);
  for (std::uint32_t i = 0; i < count * rows * columns; ++i)
    bytes.push_back(static_cast<std::uint8_t>(i * 37 + i / 11));
  return bytes;
}

inline Bytes idx_labels(std::uint32_t count, std::uint32_t classes) {
  Bytes bytes;
  append_word(bytes, 2049);
  append_word(bytes, count);
  for (std::uint32_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(i % classes));
  return bytes;
}

inline Bytes gzip(const Bytes& data) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, data.size()) + 64);
  stream.next_in = const_cast<Bytef*>(data.data());
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// A data set of `train` and `test` images of rows x columns.
inline void write_data_set(const TemporaryDirectory& directory, std::uint32_t train, std::uint32_t test,
                           std::uint32_t rows, std::uint32_t columns, std::uint32_t classes) {
  directory.write("train-images-idx3-ubyte", idx_images(train, rows, columns));
  directory.write("train-labels-idx1-ubyte.gz", gzip(idx_labels(train, classes)));
  directory.write("t10k-images-idx3-ubyte.gz", gzip(idx_images(test, rows, columns)));
  directory.write("t10k-labels-idx1-ubyte", idx_labels(test, classes));
}

}  // namespace heddle::testing_support
