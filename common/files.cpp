#include "common/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/memory.h"

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
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

// "", or what stands in the way of reading it as a file. Pipes may never be written to, devices may never end.
std::string why_no_file(mode_t mode) {
  if (S_ISREG(mode)) return "";
  std::string kind = "no regular file";
  if (S_ISDIR(mode)) return "it is a directory; name a file in it";
  if (S_ISFIFO(mode)) kind = "a pipe";
  if (S_ISSOCK(mode)) kind = "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) kind = "a device";
  return "it is " + kind + "; write what it gives to a regular file and name that";
}

void require_file(const struct stat& status, const std::filesystem::path& path) {
  const std::string reason = why_no_file(status.st_mode);
  if (!reason.empty()) throw InputError("cannot read " + path.string() + ": " + reason);
}

// Looks before opening, since opening some devices does something, and after, since the name may mean another by then.
Descriptor open_file(const std::filesystem::path& path, struct stat& status) {
  if (::stat(path.c_str(), &status) != 0) fail("open", path);
  require_file(status, path);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) fail("open", path);
  if (::fstat(file.get(), &status) != 0) fail("read", path);
  require_file(status, path);
  return file;
}

std::string too_large(const std::filesystem::path& path, std::uint64_t limit) {
  return "cannot read " + path.string() + ": it has more than " + describe_bytes(limit) +
         ", the most that such a file may have; check that it is the right one";
}

template <class Container>
Container read_whole(const std::filesystem::path& path, std::uint64_t limit) {
  struct stat status {};
  const Descriptor file = open_file(path, status);
  Container data;
  std::size_t size = 0;
  if (static_cast<std::uint64_t>(status.st_size) > limit) throw InputError(too_large(path, limit));
  require_memory(static_cast<std::uint64_t>(status.st_size), path.string() + " has");
  if (status.st_size > 0) data.resize(static_cast<std::size_t>(status.st_size) + 1);
  while (true) {
    if (size == data.size()) data.resize(size + 65536);
    const auto got = ::read(file.get(), data.data() + size, data.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > limit) throw InputError(too_large(path, limit));
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

// Without O_NONBLOCK, opening a pipe would wait until somebody reads it, perhaps for ever.
Descriptor open_device_or_pipe(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0 && errno == ENXIO)
    throw InputError("cannot write " + path.string() +
                     ": it is a socket, or a pipe that nobody reads; start its reader first, or name a file");
  if (file.get() < 0) fail("open", path);
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0 || ::fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) != 0) fail("open", path);
  return file;
}

void write_directly(const std::filesystem::path& path, std::span<const std::byte> data) {
  Descriptor file = open_device_or_pipe(path);
  write_all(file.get(), data, path);
  if (file.close() != 0) fail("write", path);
}

}  // namespace

std::string read_text(const std::filesystem::path& path, std::uint64_t limit) {
  return read_whole<std::string>(path, limit);
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  return read_whole<std::vector<std::byte>>(path, kNoLimit);
}

void require_writable(const std::filesystem::path& path) {
  const std::filesystem::path target = follow_links(path);
  if (is_device_or_pipe(target)) {
    if (::access(target.c_str(), W_OK) != 0) fail("write", path);
    return;
  }
  const std::filesystem::path directory = target.has_parent_path() ? target.parent_path() : ".";
  if (::access((directory / ".").c_str(), W_OK | X_OK) != 0) fail("create a file in", directory);
  std::error_code ignored;
  if (!std::filesystem::is_directory(target, ignored)) return;
  errno = EISDIR;
  fail("write", path);
}

void require_file_or_nothing(const std::filesystem::path& path) {
  require_writable(path);
  if (is_device_or_pipe(path))
    throw InputError("cannot write " + path.string() + ": it is a device, a pipe or a socket; name a regular file");
}

void require_different(const std::filesystem::path& input, const std::filesystem::path& output) {
  std::error_code missing;
  if (!is_device_or_pipe(output) && std::filesystem::equivalent(input, output, missing))
    throw InputError("cannot write " + output.string() + ": it is the input " + input.string() + "; name another file");
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
