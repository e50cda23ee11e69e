#include "driver/emulation/compatibility/shim_environment.h"

#include <cstdlib>
#include <string_view>

#include "driver/emulation/socket_paths.h"

namespace heddle::emulation {
namespace {

struct Names {
  std::string directory;  // of sockets and runs
  std::string user;       // makes the shim's /tmp/$USER that directory
};

// Made when first used, because the library's constructor runs before those of its variables; never destroyed, because
// devices may be closed after them.
Names& names() {
  static Names& all = *new Names;
  return all;
}

thread_local Overlay* own = nullptr;

// Small, and not destroyed with the thread, since the main one may still close devices then.
Overlay& overlay() {
  if (own == nullptr) own = new Overlay;
  return *own;
}

}  // namespace

void set_shim_directory(const std::string& path) {
  constexpr std::string_view kTemporary = "/tmp/";
  names().directory = path;
  names().user = path.starts_with(kTemporary) ? path.substr(kTemporary.size()) : ".." + path;
}

const std::string& shim_user() { return names().user; }

std::filebuf* open_hook(std::filebuf* file, const char* name, std::ios_base::openmode mode) {
  constexpr std::string_view kLog = "emulation_debug.log";
  if (!std::string_view(name).ends_with(kLog)) return file->open(name, mode);
  return file->open(names().directory + "/" + std::string(kLog), mode);
}

const Overlay& thread_overlay() { return overlay(); }
void set_thread_overlay(Overlay& values) { own = &values; }

void export_overlay() {
  for (const auto& [name, value] : overlay()) ::setenv(name.c_str(), value.c_str(), 1);
  ::setenv(kSocketDirectoryVariable, names().directory.c_str(), 1);
}

char* getenv_hook(const char* name) {
  const std::string_view wanted = name;
  if (wanted == "USER") return names().user.data();
  if (wanted == "SDACCEL_EM_RUN_DIR") return names().directory.data();
  const auto mine = overlay().find(name);
  return mine != overlay().end() ? mine->second.data() : std::getenv(name);
}

int setenv_hook(const char* name, const char* value, int overwrite) {
  if (overwrite != 0 || getenv_hook(name) == nullptr) overlay()[name] = value;
  return 0;
}

int unsetenv_hook(const char* name) {
  overlay().erase(name);
  return 0;
}

}  // namespace heddle::emulation
