// libxrt_hwemu.so.2 of Heddle: stands where XRT looks for its emulation shim, and loads the real one.
//
// The one build that repairs.h knows is repaired in memory. Any other one runs as it is, under the settings that avoid
// the worst of the known defects. Nothing here can be reported but on standard error: XRT only sees a library loading.
#include <dlfcn.h>
#include <experimental/xrt_ini.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "driver/emulation/compatibility/repairs.h"
#include "driver/emulation/compatibility/shim_environment.h"
#include "driver/emulation/private_directory.h"
#include "driver/emulation/reply_limit.h"

namespace heddle::emulation {
namespace {

constexpr const char* kShimVariable = "HEDDLE_XRT_SHIM";  // path of the real shim, if it is not beside XRT's library

PrivateDirectory* directory = nullptr;  // plain, because the library's end comes after that of its variables

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Beside libxrt_coreutil, whose functions this library calls.
std::string real_shim() {
  if (const std::string path = variable(kShimVariable); !path.empty()) return path;
  Dl_info info{};
  void (*function)(const std::string&, const std::string&) = xrt::ini::set;
  if (dladdr(reinterpret_cast<void*>(function), &info) == 0 || info.dli_fname == nullptr) {
    throw std::runtime_error(
        "XRT's own library cannot be located; set HEDDLE_XRT_SHIM to the path of its libxrt_hwemu");
  }
  return (std::filesystem::canonical(info.dli_fname).parent_path() / "libxrt_hwemu.so.2").string();
}

void set(const char* key, const char* value) {
  try {
    xrt::ini::set(key, value);
  } catch (const std::exception&) {  // the program has read its settings already: its own ones hold
  }
}

// Messages this small stay in the processor's cache and in pages that the allocator keeps.
void set_common() {
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 4 << 20);
  set("Emulation.packet_size", "65536");
  set("Emulation.keep_run_dir", "false");
  set("Emulation.print_infos_in_console", "false");
}

// For builds that nobody looked into, before they are loaded. The padding makes the first message the longest: see
// message_buffer in repairs.
void configure_only() {
  set("Debug.pad", std::string(70'000, '.').c_str());
  ::setenv("USER", shim_user().c_str(), 1);
  ::setenv("SDACCEL_EM_RUN_DIR", directory->path().c_str(), 1);
}

// The shim makes its run directory while it is loaded, before anything can be replaced.
void* load_shim(const std::string& path) {
  constexpr const char* kRunDirectory = "SDACCEL_EM_RUN_DIR";
  const char* value = std::getenv(kRunDirectory);
  const std::string before = value != nullptr ? value : "";
  ::setenv(kRunDirectory, directory->path().c_str(), 1);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (value != nullptr) {
    ::setenv(kRunDirectory, before.c_str(), 1);
  } else {
    ::unsetenv(kRunDirectory);
  }
  return handle;
}

void load() {
  const std::string keep = variable(kKeepVariable);
  check_repair_names(keep);
  reply_limit();  // a wrong one is told now
  directory = new PrivateDirectory;
  set_shim_directory(directory->path());
  set_common();
  const std::string path = real_shim();
  const bool known = build_id(path) == kKnownBuild && keep != "all";
  if (!known) configure_only();
  void* handle = load_shim(path);
  if (handle == nullptr) throw std::runtime_error(std::string("XRT's emulation cannot be loaded: ") + dlerror());
  if (known) apply_repairs(ShimImage(handle), keep);
}

__attribute__((constructor)) void start() {
  try {
    load();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle: %s\n", error.what());
  }
}

__attribute__((destructor)) void stop() {
  delete directory;
  directory = nullptr;
}

}  // namespace
}  // namespace heddle::emulation
