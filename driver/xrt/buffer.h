// A piece of a board's memory as XRT has it: device memory with a copy on the host.
#pragma once

#include <xrt/xrt_bo.h>

#include <memory>
#include <span>

#include "driver/device.h"
#include "driver/xrt/board.h"

namespace heddle::driver {

class XrtBuffer final : public Buffer {
 public:
  // `bytes`: whole lines. Zero on the device. `what` is what errors call it. Throws DeviceError.
  XrtBuffer(std::shared_ptr<Board> board, std::size_t bytes, xrt::memory_group group, unsigned port, const void* owner);
  ~XrtBuffer() override;

  std::size_t bytes() const override { return bytes_; }
  std::uint64_t address() const { return address_; }
  xrt::memory_group group() const { return group_; }
  unsigned port() const { return port_; }
  const void* owner() const { return owner_; }

  // Inside the buffer; the caller has checked.
  void write(std::size_t offset, std::span<const std::byte> data);
  void read(std::size_t offset, std::span<std::byte> data) const;

 private:
  void sync(xclBOSyncDirection direction, std::size_t begin, std::size_t end) const;

  std::shared_ptr<Board> board_;
  std::size_t bytes_;
  std::size_t allocated_ = 0;  // bytes on the device
  xrt::memory_group group_;
  unsigned port_;
  const void* owner_;
  mutable xrt::bo bo_;
  std::byte* host_ = nullptr;
  std::uint64_t address_ = 0;
};

}  // namespace heddle::driver
