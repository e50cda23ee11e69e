#include "driver/xrt/libraries.h"

#include <link.h>

#include <filesystem>

namespace heddle::driver {
namespace {

int collect(dl_phdr_info* library, std::size_t, void* text) {
  const std::filesystem::path path(library->dlpi_name);
  if (!path.filename().string().starts_with("libxrt_")) return 0;
  auto& list = *static_cast<std::string*>(text);
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(path, failed);
  list += (list.empty() ? "" : ", ") + (failed ? path : file).string();
  return 0;
}

}  // namespace

std::string xrt_libraries() {
  std::string list;
  dl_iterate_phdr(collect, &list);
  return list;
}

}  // namespace heddle::driver
