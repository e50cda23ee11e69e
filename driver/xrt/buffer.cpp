#include "driver/xrt/buffer.h"

#include <algorithm>
#include <cstring>

#include "driver/xrt/guarded.h"

namespace heddle::driver {
namespace {

constexpr std::size_t kPage = 4096;                     // XRT has had trouble with anything smaller
constexpr std::size_t kPiece = std::size_t{256} << 20;  // of one transfer: sizes beyond 4 GiB never meet 32 bits
constexpr xrt::memory_group kNoGroup = 65535;           // XRT's answer for an argument without memory

std::size_t rounded(std::size_t bytes, std::size_t step) { return (bytes + step - 1) / step * step; }

}  // namespace

XrtBuffer::XrtBuffer(std::shared_ptr<Board> board, std::size_t bytes, xrt::memory_group group, unsigned port,
                     const void* owner)
    : board_(std::move(board)), bytes_(bytes), group_(group), port_(port), owner_(owner) {
  const std::size_t size = rounded(bytes, kPage);
  if (size < bytes || group == kNoGroup)
    throw DeviceError("port " + std::to_string(port) + " of " + board_->name() + " cannot reach " +
                      std::to_string(bytes) + " bytes of memory; see \"heddle xclbin show " + board_->path() + "\"");
  guarded("allocating " + std::to_string(bytes) + " bytes on " + board_->name() + " (" +
              board_->describe_memory(group) + ")",
          "free buffers, use smaller ones or other ports", [&] {
            bo_ = xrt::bo(board_->device(), size, xrt::bo::flags::normal, group);
            host_ = bo_.map<std::byte*>();
            address_ = bo_.address();
            std::memset(host_, 0, size);
          });
  allocated_ = size;
  board_->count(group_, allocated_, true);
  try {
    sync(XCL_BO_SYNC_BO_TO_DEVICE, 0, bytes_);
  } catch (...) {
    board_->count(group_, allocated_, false);
    throw;
  }
}

XrtBuffer::~XrtBuffer() { board_->count(group_, allocated_, false); }

// Whole lines travel, because boards without a DMA engine take nothing else. What is in the lines beside the data comes
// from the device first: a program may have written it.
void XrtBuffer::write(std::size_t offset, std::span<const std::byte> data) {
  if (data.empty()) return;
  const std::size_t end = offset + data.size();
  const std::size_t first = offset / kLineBytes * kLineBytes, last = rounded(end, kLineBytes);
  if (first != offset) sync(XCL_BO_SYNC_BO_FROM_DEVICE, first, first + kLineBytes);
  if (last != end && !(first != offset && last == first + kLineBytes))
    sync(XCL_BO_SYNC_BO_FROM_DEVICE, last - kLineBytes, last);
  std::memcpy(host_ + offset, data.data(), data.size());
  sync(XCL_BO_SYNC_BO_TO_DEVICE, first, last);
}

void XrtBuffer::read(std::size_t offset, std::span<std::byte> data) const {
  if (data.empty()) return;
  sync(XCL_BO_SYNC_BO_FROM_DEVICE, offset / kLineBytes * kLineBytes, rounded(offset + data.size(), kLineBytes));
  std::memcpy(data.data(), host_ + offset, data.size());
}

void XrtBuffer::sync(xclBOSyncDirection direction, std::size_t begin, std::size_t end) const {
  const bool down = direction == XCL_BO_SYNC_BO_TO_DEVICE;
  guarded(std::string(down ? "writing to " : "reading from ") + board_->name(),
          "the board may have been lost or reset; open it again", [&] {
            for (std::size_t at = begin; at < end; at += kPiece) bo_.sync(direction, std::min(kPiece, end - at), at);
          });
}

}  // namespace heddle::driver
