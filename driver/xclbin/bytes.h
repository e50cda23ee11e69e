// Little-endian bytes: appended without thought, read with every bound checked.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace heddle::xclbin {

using Bytes = std::vector<std::byte>;

class ByteWriter {
 public:
  template <std::unsigned_integral T>
  ByteWriter& number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }
  ByteWriter& fill(std::size_t count, std::uint8_t value = 0) {
    for (std::size_t i = 0; i < count; ++i) bytes_.push_back(std::byte{value});
    return *this;
  }
  ByteWriter& raw(std::span<const std::byte> data) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + data.size());
    std::copy(data.begin(), data.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    return *this;
  }
  ByteWriter& text(std::string_view text) { return raw(std::as_bytes(std::span(text.data(), text.size()))); }
  // A field of `size` bytes that ends with at least one zero. Throws InputError if the text is too long.
  ByteWriter& name(std::string_view text_, std::size_t size) {
    if (text_.size() >= size)
      throw InputError("the name \"" + std::string(text_) + "\" does not fit an xclbin's field of " +
                       std::to_string(size - 1) + " characters; use a shorter one");
    return text(text_).fill(size - text_.size());
  }
  ByteWriter& align(std::size_t step) { return fill((step - bytes_.size() % step) % step); }

  std::size_t size() const { return bytes_.size(); }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

class ByteReader {
 public:
  // `what` is what errors call the data: "section CONNECTIVITY".
  ByteReader(std::span<const std::byte> data, std::string what) : data_(data), what_(std::move(what)) {}

  template <std::unsigned_integral T>
  T number() {
    const auto bytes = raw(sizeof(T));
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value | static_cast<T>(static_cast<T>(bytes[i]) << (8 * i)));
    return value;
  }
  std::span<const std::byte> raw(std::size_t count) {
    if (count > data_.size() - at_)
      throw InputError(what_ + " ends after " + std::to_string(data_.size()) + " bytes, in the middle of a field");
    at_ += count;
    return data_.subspan(at_ - count, count);
  }
  void skip(std::size_t count) { raw(count); }
  // A field of `size` bytes up to its first zero.
  std::string name(std::size_t size) {
    const auto bytes = raw(size);
    std::string text;
    for (std::byte byte : bytes) {
      if (byte == std::byte{0}) return text;
      const char c = static_cast<char>(byte);
      if (c < ' ' || c > '~') throw InputError(what_ + " has a name that is no text");
      text += c;
    }
    throw InputError(what_ + " has a name without an end");
  }
  // A count of records of `size` bytes, which have to be there.
  template <std::unsigned_integral T>
  std::size_t count(std::size_t size, std::size_t padding) {
    const std::uint64_t records = number<T>();
    skip(padding);
    if (records > (data_.size() - at_) / size)
      throw InputError(what_ + " says that it has " + std::to_string(records) + " records, but holds " +
                       std::to_string((data_.size() - at_) / size));
    return records;
  }
  std::size_t left() const { return data_.size() - at_; }

 private:
  std::span<const std::byte> data_;
  std::string what_;
  std::size_t at_ = 0;
};

}  // namespace heddle::xclbin
