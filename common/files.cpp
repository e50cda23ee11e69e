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

constexpr std::size_t kStreamLimit = std::size_t{1} << 30;  // devices may never end

template <class Container>
Container read_whole(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("open", path);
  Container data;
  std::size_t size = 0;
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("read", path);
  if (status.st_size > 0) data.resize(static_cast<std::size_t>(status.st_size) + 1);
  while (true) {
    if (size == data.size()) data.resize(size + 65536);
    const auto got = ::read(file.get(), data.data() + size, data.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (!S_ISREG(status.st_mode) && size > kStreamLimit)
      throw InputError("cannot read " + path.string() + ": it is no file and gives more than 1 GiB");
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

// The file that `path` stands for: the end of its links, which need not exist yet.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int kLinkLimit = 40;
  std::error_code error;
  for (int i = 0; i < kLinkLimit && std::filesystem::is_symlink(path, error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path);
  if (!std::filesystem::is_symlink(path, error)) return path;
  errno = ELOOP;
  fail("write", path);
}

// Devices and pipes take the data themselves: a file renamed over them would destroy them.
bool is_device_or_pipe(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

void write_directly(const std::filesystem::path& path, std::span<const std::byte> data) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) fail("open", path);
  write_all(file.get(), data, path);
  if (file.close() != 0) fail("write", path);
}

}  // namespace

std::string read_text(const std::filesystem::path& path) { return read_whole<std::string>(path); }

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  return read_whole<std::vector<std::byte>>(path);
}

void require_writable(const std::filesystem::path& path) {
  const std::filesystem::path target = follow_links(path);
  if (is_device_or_pipe(target)) return;
  const std::filesystem::path directory = target.has_parent_path() ? target.parent_path() : ".";
  if (::access((directory / ".").c_str(), W_OK | X_OK) != 0) fail("create a file in", directory);
  std::error_code ignored;
  if (!std::filesystem::is_directory(target, ignored)) return;
  errno = EISDIR;
  fail("write", path);
}

void write_atomically(const std::filesystem::path& name, std::span<const std::byte> data) {
  if (is_device_or_pipe(name)) return write_directly(name, data);
  const std::filesystem::path path = follow_links(name);
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
