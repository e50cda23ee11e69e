// A zip archive whose files are stored as they are. Enough for what XRT unpacks; no reader, no compression.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "driver/xclbin/bytes.h"

namespace heddle::xclbin {

struct ZipEntry {
  std::string path;
  std::string content;
  bool executable = false;
};

// Same entries, same bytes: no times, no owners.
Bytes zip(const std::vector<ZipEntry>& entries);

}  // namespace heddle::xclbin
