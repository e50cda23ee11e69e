#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "common/error.h"
#include "common/files.h"
#include "common/memory.h"
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
  EXPECT_THROW(write_atomically(directory_ / "no/such/f", "x"), InputError);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// Ends a test that hangs, and the program with it.
struct Alarm {
  Alarm() { ::alarm(10); }
  ~Alarm() { ::alarm(0); }
};

// Reading these would wait for ever, or go on for ever.
TEST_F(Files, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  (directory_ / "socket").string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  fs::create_symlink("pipe", directory_ / "link");
  const Alarm alarm;
  const std::pair<fs::path, const char*> cases[] = {
      {directory_ / "pipe", "a pipe"}, {directory_ / "link", "a pipe"}, {directory_ / "socket", "a socket"},
      {"/dev/zero", "a device"},       {"/dev/null", "a device"},       {directory_, "a directory"}};
  for (const auto& [path, kind] : cases) {
    EXPECT_NE(error_of([&] { read_text(path); }).find("cannot read " + path.string() + ": it is " + kind),
              std::string::npos)
        << error_of([&] { read_text(path); });
    EXPECT_THROW(read_bytes(path), InputError);
  }
  ::close(listener);
}

TEST_F(Files, WhatIsTooLargeIsNotRead) {
  write_atomically(directory_ / "f", std::string(1000, 'x'));
  EXPECT_EQ(read_text(directory_ / "f", 1000).size(), 1000U);
  EXPECT_NE(error_of([&] { read_text(directory_ / "f", 999); }).find("more than 999 bytes"), std::string::npos);
  // /proc says that its files have 0 bytes.
  EXPECT_NE(error_of([&] { read_text("/proc/self/status", 10); }).find("more than 10 bytes"), std::string::npos);
  ASSERT_EQ(::truncate((directory_ / "f").c_str(), off_t{1} << 42), 0);  // 4 TiB that take no room
  EXPECT_NE(error_of([&] { read_bytes(directory_ / "f"); }).find("has 4.0 TiB, but "), std::string::npos);
}

TEST_F(Files, WritingToAPipeThatNobodyReadsDoesNotWait) {
  const fs::path pipe = directory_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Alarm alarm;
  EXPECT_NE(error_of([&] { write_atomically(pipe, "text"); }).find("a pipe that nobody reads"), std::string::npos);
}

TEST_F(Files, WhatOthersWriteIsAFileOrNothing) {
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  EXPECT_NO_THROW(require_file_or_nothing(directory_ / "new"));
  for (const fs::path& bad : {directory_ / "pipe", fs::path("/dev/full"), directory_, directory_ / "no/such"})
    EXPECT_THROW(require_file_or_nothing(bad), InputError) << bad;
}

TEST_F(Files, OutputsThatAreTheInputAreFound) {
  write_atomically(directory_ / "f", "x");
  fs::create_symlink("f", directory_ / "link");
  fs::create_hard_link(directory_ / "f", directory_ / "hard");
  for (const char* name : {"f", "link", "hard", "./f"})
    EXPECT_NE(error_of([&] { require_different(directory_ / "f", directory_ / name); }).find("it is the input"),
              std::string::npos)
        << name;
  EXPECT_NO_THROW(require_different(directory_ / "f", directory_ / "new"));
  EXPECT_NO_THROW(require_different("nothing", directory_ / "f"));
  EXPECT_NO_THROW(require_different("/dev/null", "/dev/null"));
}

TEST(Memory, WhatIsNotThereIsAnError) {
  EXPECT_GT(available_memory(), std::uint64_t{1} << 20);
  EXPECT_NO_THROW(require_memory(std::uint64_t{2} << 20, "two MiB are"));
  EXPECT_NE(error_of([] {
              require_memory(std::uint64_t{1} << 60, "the matrices take");
            }).find("the matrices take 1.0 EiB, but "),
            std::string::npos);
}

TEST(Memory, LimitsOfTheProcessCount) {
  struct rlimit old {};
  ::getrlimit(RLIMIT_AS, &old);
  const struct rlimit small { std::uint64_t{3} << 30, old.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &small), 0);
  const std::uint64_t available = available_memory();
  ::setrlimit(RLIMIT_AS, &old);
  EXPECT_LE(available, std::uint64_t{3} << 30);
}

TEST(Memory, BytesAreDescribedInTheUnitThatFits) {
  EXPECT_EQ(describe_bytes(0), "0 bytes");
  EXPECT_EQ(describe_bytes(1023), "1023 bytes");
  EXPECT_EQ(describe_bytes(1024), "1.0 KiB");
  EXPECT_EQ(describe_bytes((std::uint64_t{1} << 30) - 1), "1023.9 MiB");
  EXPECT_EQ(describe_bytes(~std::uint64_t{0}), "15.9 EiB");
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
