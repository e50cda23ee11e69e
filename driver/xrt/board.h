// A board with its xclbin loaded, shared by the cores that this process uses on it.
#pragma once

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "config/config.h"
#include "driver/xclbin/image.h"
#include "driver/xrt/xrt_device.h"

namespace heddle::driver {

class Board {
 public:
  // The board that the options mean, opened and loaded if this process does not have it yet. Throws as make_xrt_device.
  static std::shared_ptr<Board> open(const config::Config& config, const XrtOptions& options);

  const std::string& name() const { return name_; }  // "emulated board 0"
  const std::string& platform() const { return image_.platform; }
  const std::string& path() const { return path_; }
  const xclbin::Image& image() const { return image_; }
  bool emulated() const { return image_.emulated(); }
  xrt::device& device() { return device_; }

  // A core for one user at a time. Throws DeviceError if it is taken, here or by another process.
  xrt::kernel take_core(unsigned core);
  void give_back_core(unsigned core);

  // Memory accounted by XRT's group of banks: bytes that buffers of this process take.
  void count(xrt::memory_group group, std::size_t bytes, bool allocated);
  std::string describe_memory(xrt::memory_group group) const;  // "DDR[1]: 12 MiB of 4096 MiB are in use"

 private:
  struct Opened;
  Board(std::string name, xrt::device device, std::string path, const config::Config& config);
  void load(const config::Config& config);

  std::string name_;
  xrt::device device_;
  std::string path_;
  xclbin::Image image_;
  xrt::uuid uuid_;
  mutable std::mutex mutex_;
  std::set<unsigned> taken_;
  std::map<xrt::memory_group, std::size_t> bytes_;
};

}  // namespace heddle::driver
