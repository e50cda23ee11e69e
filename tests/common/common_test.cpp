#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "common/error.h"
#include "common/files.h"
#include "common/sha256.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  Files() { fs::create_directories(directory_); }
  ~Files() override { fs::remove_all(directory_); }
  std::size_t count() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), {})); }
  fs::path directory_ = fs::temp_directory_path() / ("heddle_files_" + std::to_string(::getpid()));
};

TEST_F(Files, ReadWhatWasWritten) {
  const std::string text("a\0b\n", 4);
  write_atomically(directory_ / "f", text);
  EXPECT_EQ(read_text(directory_ / "f"), text);
  EXPECT_EQ(read_bytes(directory_ / "f").size(), 4u);
  write_atomically(directory_ / "f", "");
  EXPECT_EQ(read_text(directory_ / "f"), "");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, ReadFilesWhoseSizeIsNotKnownBefore) { EXPECT_FALSE(read_text("/proc/self/status").empty()); }

TEST_F(Files, ErrorsNameTheFileAndTheReason) {
  try {
    read_text(directory_ / "missing");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), "cannot open " + (directory_ / "missing").string() + ": No such file or directory");
  }
  EXPECT_THROW(read_text(directory_), InputError);
  EXPECT_THROW(write_atomically(directory_ / "no/such/f", "x"), InputError);
}

TEST_F(Files, AFailedWriteLeavesTheOldContentAndNoTemporary) {
  write_atomically(directory_ / "f", "old");
  struct rlimit old {};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const struct rlimit small { 1000, old.rlim_max };
  ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_atomically(directory_ / "f", std::string(5000, 'x')), InputError);
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(read_text(directory_ / "f"), "old");
  EXPECT_EQ(count(), 1u);
}

// Pipes stand for all that is not a file: renamed over, a device would be gone for everybody.
TEST_F(Files, PipesAndDevicesAreWrittenToAndStay) {
  const fs::path pipe = directory_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", directory_ / "link");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  for (const char* name : {"pipe", "link"}) {
    require_writable(directory_ / name);
    write_atomically(directory_ / name, "text");
    std::string text(10, ' ');
    EXPECT_EQ(::read(reader, text.data(), text.size()), 4);
    EXPECT_EQ(text.substr(0, 4), "text");
  }
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(count(), 2u);
}

TEST_F(Files, LinksAreFollowed) {
  fs::create_directory(directory_ / "far");
  fs::create_symlink("far/f", directory_ / "link");
  for (const char* text : {"first", "second"}) {  // to nowhere yet, then to a file
    write_atomically(directory_ / "link", text);
    EXPECT_TRUE(fs::is_symlink(directory_ / "link"));
    EXPECT_EQ(read_text(directory_ / "far/f"), text);
  }
  fs::create_symlink("loop", directory_ / "loop");
  EXPECT_THROW(write_atomically(directory_ / "loop", "x"), InputError);
  EXPECT_THROW(require_writable(directory_ / "loop"), InputError);
}

TEST_F(Files, PlacesThatCannotBeWrittenAreKnownBefore) {
  EXPECT_NO_THROW(require_writable(directory_ / "new"));
  EXPECT_NO_THROW(require_writable("new"));
  EXPECT_THROW(require_writable(directory_), InputError);
  EXPECT_THROW(require_writable(directory_ / "no/such"), InputError);
  EXPECT_EQ(count(), 0u);
}

TEST_F(Files, RespectTheUmask) {
  const auto old = ::umask(027);
  write_atomically(directory_ / "f", "x");
  ::umask(old);
  EXPECT_EQ(fs::status(directory_ / "f").permissions() & fs::perms::all, static_cast<fs::perms>(0640));
}

TEST(Sha256, MatchesTheStandardsExamples) {
  const auto of = [](const std::string& text) { return sha256(std::as_bytes(std::span(text))); };
  EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowDataIsCut) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  const auto bytes = std::as_bytes(std::span(text));
  for (std::size_t size = 0; size <= bytes.size(); size += 13) {
    Sha256 pieces;
    for (std::size_t at = 0; at < size; at += 29) pieces.add(bytes.subspan(at, std::min<std::size_t>(29, size - at)));
    EXPECT_EQ(pieces.finish(), sha256(bytes.first(size))) << size;
  }
}

}  // namespace
}  // namespace heddle
