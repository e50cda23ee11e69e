#include "driver/emulation/private_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "common/error.h"

namespace heddle::emulation {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = "lock";
constexpr std::size_t kLongestParent = 40;  // a socket's address has 107 characters

fs::path parent() {
  const char* temporary = std::getenv("TMPDIR");
  const bool fits = temporary != nullptr && temporary[0] == '/' && std::strlen(temporary) <= kLongestParent;
  return fs::path(fits ? temporary : "/tmp") / ("heddle-emulation-" + std::to_string(getuid()));
}

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw DeviceError("cannot " + std::string(what) + " " + path.string() + " for emulated boards (" +
                    std::strerror(errno) + "); set TMPDIR to a directory that is yours");
}

// Others could have made it first, to look into our sockets.
void make_parent(const fs::path& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail(path, "make");
  struct stat state {};
  if (lstat(path.c_str(), &state) != 0 || !S_ISDIR(state.st_mode) || state.st_uid != getuid()) {
    errno = EACCES;
    fail(path, "use");
  }
}

// The lock, or -1 if somebody else has it.
int take_lock(const fs::path& path, int flags) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
  if (descriptor < 0) return -1;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  return -1;
}

// A directory without a lock file is one that is being made, unless it is old.
bool abandoned(const fs::path& path) {
  const int lock = take_lock(path / kLockName, 0);
  if (lock >= 0) {
    close(lock);
    return true;
  }
  struct stat state {};
  constexpr time_t kMinute = 60;
  return access((path / kLockName).c_str(), F_OK) != 0 && lstat(path.c_str(), &state) == 0 &&
         time(nullptr) - state.st_mtime > kMinute;
}

// The lock goes last, so that what could not be removed (an orphan still writes there) is found again.
void remove_directory(const fs::path& path) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored)) {
    if (entry.path().filename() != kLockName) fs::remove_all(entry.path(), ignored);
  }
  const auto left = std::distance(fs::directory_iterator(path, ignored), fs::directory_iterator());
  if (left <= 1) fs::remove_all(path, ignored);
}

void remove_abandoned(const fs::path& parent) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    if (abandoned(entry.path())) remove_directory(entry.path());
  }
}

}  // namespace

PrivateDirectory::PrivateDirectory() : owner_(getpid()) {
  const fs::path base = parent();
  make_parent(base);
  remove_abandoned(base);
  std::string name = (base / (std::to_string(owner_) + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) fail(base, "make a directory in");
  path_ = name;
  lock_ = take_lock(fs::path(path_) / kLockName, O_CREAT);
  if (lock_ < 0) fail(path_, "lock");
}

PrivateDirectory::~PrivateDirectory() {
  if (getpid() != owner_) return;
  remove_directory(path_);
  close(lock_);
  rmdir(fs::path(path_).parent_path().c_str());  // if nobody else is there
}

}  // namespace heddle::emulation
