#include "common/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/error.h"

namespace heddle {
namespace {

[[noreturn]] void fail(const char* verb, const std::filesystem::path& path) {
  throw InputError(std::string("cannot ") + verb + " " + path.string() + ": " + std::strerror(errno));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

template <class Container>
Container read_whole(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("open", path);
  Container data;
  std::size_t size = 0;
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_size > 0)
    data.resize(static_cast<std::size_t>(status.st_size) + 1);
  while (true) {
    if (size == data.size()) data.resize(size + 65536);
    const auto got = ::read(file.get(), data.data() + size, data.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  data.resize(size);
  return data;
}

void write_all(int fd, std::span<const std::byte> data, const std::filesystem::path& path) {
  while (!data.empty()) {
    const auto put = ::write(fd, data.data(), data.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("write", path);
    data = data.subspan(static_cast<std::size_t>(put));
  }
}

// Without this a power cut may forget the rename. Some file systems cannot do it; that is no error.
void sync_directory(const std::filesystem::path& directory) {
  Descriptor handle(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() >= 0) ::fsync(handle.get());
}

}  // namespace

std::string read_text(const std::filesystem::path& path) { return read_whole<std::string>(path); }

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  return read_whole<std::vector<std::byte>>(path);
}

void write_atomically(const std::filesystem::path& path, std::span<const std::byte> data) {
  std::string temporary = path.string() + ".XXXXXX";
  Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) fail("create a file beside", path);
  try {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(file.get(), 0666 & ~mask) != 0) fail("set the mode of", temporary);
    write_all(file.get(), data, path);
    if (::fsync(file.get()) != 0 || file.close() != 0) fail("write", path);
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail("replace", path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory(path.parent_path());
}

void write_atomically(const std::filesystem::path& path, std::string_view text) {
  write_atomically(path, std::as_bytes(std::span(text)));
}

}  // namespace heddle
