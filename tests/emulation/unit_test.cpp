// The parts of the device process, without XRT: messages, board, dispatcher, server, faults, directories.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "common/error.h"
#include "driver/emulation/dispatcher.h"
#include "driver/emulation/private_directory.h"
#include "driver/emulation/server.h"
#include "driver/emulation/socket_paths.h"
#include "driver/emulation/wire.h"

namespace heddle::emulation {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// A kernel that adds its registers 0x10 and 0x14 into 0x18 after a number of steps of time.
class Adder final : public Kernel {
 public:
  explicit Adder(int duration) : duration_(duration) {}
  void write(std::uint32_t offset, std::uint32_t value) override {
    if (offset != 0) {
      registers_[offset] = value;
    } else if ((value & 1) != 0) {
      ++runs_;
      left_ = duration_;
    }
  }
  std::uint32_t read(std::uint32_t offset) override {
    if (offset != 0) return registers_[offset];
    const std::uint32_t control = running() ? 1 : done_ ? 6 : 4;
    done_ = false;
    return control;
  }
  bool running() const override { return left_ > 0; }
  std::uint64_t runs() const override { return runs_; }
  void advance() override {
    std::this_thread::sleep_for(20us);
    if (--left_ > 0) return;
    registers_[0x18] = registers_[0x10] + registers_[0x14];
    done_ = true;
  }

 private:
  int duration_, left_ = 0;
  bool done_ = false;
  std::uint64_t runs_ = 0;
  std::map<std::uint32_t, std::uint32_t> registers_;
};

constexpr std::uint64_t kBase = 0x180'0000;

Bytes register_write(std::uint64_t address, std::uint32_t value) {
  MessageWriter message;
  message.number(2, address).number(3, 4).bytes(4, std::as_bytes(std::span(&value, 1)));
  return message.message();
}

Bytes register_read(std::uint64_t address) { return MessageWriter().number(2, address).number(3, 4).message(); }

std::uint32_t value_in(std::span<const std::byte> reply) {
  MessageReader reader(reply);
  while (const auto field = reader.next()) {
    if (field->number != 2) continue;
    std::uint32_t value = 0;
    std::memcpy(&value, field->bytes.data(), sizeof value);
    return value;
  }
  ADD_FAILURE() << "a reply without data";
  return 0;
}

// ------------------------------------------------------------------------------------------------------- wire
TEST(Wire, MessagesComeBackAsTheyWereWritten) {
  const Bytes data = bytes_of({1, 2, 3});
  MessageWriter writer;
  writer.number(1, 0).number(2, ~0ull).bytes(3, data).bytes(2000, {}).number(16, 300);
  MessageReader reader(writer.message());
  EXPECT_EQ(reader.next()->value, 0U);
  EXPECT_EQ(reader.next()->value, ~0ull);
  const Field bytes = *reader.next();
  EXPECT_TRUE(std::equal(bytes.bytes.begin(), bytes.bytes.end(), data.begin(), data.end()));
  EXPECT_EQ(reader.next()->number, 2000U);
  EXPECT_EQ(reader.next()->value, 300U);
  EXPECT_FALSE(reader.next().has_value());
}

TEST(Wire, EncodesAsProtocolBuffersDo) {  // https://protobuf.dev/programming-guides/encoding: 150 is 96 01
  MessageWriter writer;
  writer.number(1, 150).bytes(2, bytes_of({'t', 'e'}));
  EXPECT_EQ(writer.message(), bytes_of({0x08, 0x96, 0x01, 0x12, 0x02, 't', 'e'}));
  const auto header = encode(RequestHeader{Call::read_registers, 0x0102});
  EXPECT_EQ(Bytes(header.begin(), header.end()), bytes_of({9, 2, 1, 0, 0, 0, 0, 0, 0, 21, 11, 0, 0, 0}));
  EXPECT_EQ(decode_request_header(header).bytes, 0x0102U);
}

TEST(Wire, RefusesWhatIsCutOrMalformed) {
  EXPECT_THROW(MessageReader(bytes_of({0x08})).next(), WireError);
  EXPECT_THROW(MessageReader(bytes_of({0x12, 0x05, 1})).next(), WireError);
  EXPECT_THROW(MessageReader(bytes_of({0x0B, 0x01})).next(), WireError);
  EXPECT_THROW(MessageReader(Bytes(11, std::byte{0xFF})).next(), WireError);
  auto header = encode(RequestHeader{Call::close, kLargestBody + 1});
  EXPECT_THROW(decode_request_header(header), WireError);
  header = {};
  EXPECT_THROW(decode_request_header(header), WireError);
  EXPECT_THROW(decode_reply_header(std::array<std::byte, kReplyHeaderBytes>{}), WireError);
}

// ------------------------------------------------------------------------------------------------------ faults
TEST(Faults, NameKindRunAndValue) {
  const Faults faults = Faults::parse("stuck_kernel@2,,read_error,slow_answers=7,slow_answers=5");
  EXPECT_FALSE(faults.in_run(FaultKind::stuck_kernel, 1));
  EXPECT_TRUE(faults.in_run(FaultKind::stuck_kernel, 2));
  EXPECT_TRUE(faults.in_run(FaultKind::read_error, 99));
  EXPECT_FALSE(faults.in_run(FaultKind::write_error, 2));
  EXPECT_EQ(faults.delay(), 12ms);
  EXPECT_EQ(Faults::parse("").delay(), 0ms);
}

TEST(Faults, RefuseUnknownWords) {
  for (const char* text : {"crashes", "crash@", "crash@x", "crash=1", "slow_answers", "slow_answers=", "slow_answers@1",
                           "crash@1 ", "crash@99999999999999999999"}) {
    EXPECT_THROW(Faults::parse(text), InputError) << text;
  }
}

// ------------------------------------------------------------------------------------------------------- board
TEST(Board, RegistersReachTheUnitAtTheirAddress) {
  EmulatedBoard board(1);
  board.add(kBase, std::make_unique<Adder>(1));
  board.add(kBase + kWindowBytes, std::make_unique<Adder>(1));
  const std::uint32_t values[]{11, 22};
  board.write_registers(kBase + kWindowBytes + 0x10, std::as_bytes(std::span(values)));
  std::uint32_t found[2]{};
  board.read_registers(kBase + kWindowBytes + 0x10, std::as_writable_bytes(std::span(found)));
  EXPECT_EQ(found[0], 11U);
  EXPECT_EQ(found[1], 22U);
  board.read_registers(kBase + 0x10, std::as_writable_bytes(std::span(found)));
  EXPECT_EQ(found[0], 0U);
  board.read_registers(kBase - 4, std::as_writable_bytes(std::span(found)));  // nobody, then the first unit
  EXPECT_EQ(found[0], 0xDEADBEEFU);
  EXPECT_EQ(found[1], 4U);
}

TEST(Board, RefusesUnitsThatOverlap) {
  EmulatedBoard board(1);
  board.add(kBase, std::make_unique<Adder>(1));
  EXPECT_THROW(board.add(kBase, std::make_unique<Adder>(1)), InputError);
  EXPECT_THROW(board.add(kBase + 4, std::make_unique<Adder>(1)), InputError);
}

// -------------------------------------------------------------------------------------------------- dispatcher
class DispatcherTest : public testing::Test {
 protected:
  DispatcherTest() : dispatcher_(board_, [this](auto key, auto value) { settings_[std::string(key)] = value; }) {
    board_.add(kBase, std::make_unique<Adder>(1));
  }

  Bytes whole(const Reply& reply) {
    Bytes bytes = reply.message.message();
    bytes.insert(bytes.end(), reply.rest.begin(), reply.rest.end());
    return bytes;
  }
  void write(std::uint64_t address, std::span<const std::byte> data, std::uint64_t offset = 0) {
    MessageWriter message;
    message.number(3, address).bytes(4, data).number(5, data.size()).number(6, offset);
    dispatcher_.handle(Call::copy_to_device, message.message());
  }
  Bytes read(std::uint64_t address, std::uint64_t size) {
    MessageWriter message;
    message.number(4, address).number(5, size).number(6, 0);
    const Reply reply = dispatcher_.handle(Call::copy_from_device, message.message());
    const Bytes bytes = whole(reply);
    MessageReader reader(bytes);
    while (const auto field = reader.next()) {
      if (field->number == 2) return {field->bytes.begin(), field->bytes.end()};
    }
    return {};
  }

  EmulatedBoard board_{2};
  std::map<std::string, std::string> settings_;
  Dispatcher dispatcher_;
};

TEST_F(DispatcherTest, MemoryKeepsWhatIsCopiedAndFreesWithItsBuffer) {
  constexpr std::uint64_t kAddress = sim::DeviceMemory::kBankBytes + 4096;
  dispatcher_.handle(Call::allocate, MessageWriter().number(1, kAddress).number(2, 100).message());
  write(kAddress, bytes_of({1, 2, 3, 4}), 8);
  EXPECT_EQ(read(kAddress + 8, 4), bytes_of({1, 2, 3, 4}));
  dispatcher_.handle(Call::release, MessageWriter().number(1, kAddress).message());
  EXPECT_EQ(read(kAddress + 8, 4), bytes_of({0, 0, 0, 0}));
}

TEST_F(DispatcherTest, AccessesOutsideOfMemoryAreReportedToTheHost) {
  constexpr std::uint64_t kOutside = 2 * sim::DeviceMemory::kBankBytes - 2;
  write(kOutside, bytes_of({1, 2, 3}));
  EXPECT_EQ(read(kOutside, 3), bytes_of({0, 0, 0}));
  const Bytes said = whole(dispatcher_.handle(Call::messages, {}));
  MessageReader reader(said);
  const std::string text(reader.next()->text());
  EXPECT_NE(text.find("3 bytes written to 8589934590"), std::string::npos) << text;
  EXPECT_NE(text.find("3 bytes read from 8589934590"), std::string::npos) << text;
  EXPECT_TRUE(whole(dispatcher_.handle(Call::messages, {})).empty());
}

TEST_F(DispatcherTest, PostedWritesActLikeSingleOnesAndGetNoReply) {
  Bytes posted;
  for (const Bytes& body :
       {register_write(kBase + 0x10, 40), register_write(kBase + 0x14, 2), register_write(kBase, 1)}) {
    const auto header = encode(RequestHeader{Call::write_registers, body.size()});
    posted.insert(posted.end(), header.begin(), header.end());
    posted.insert(posted.end(), body.begin(), body.end());
  }
  EXPECT_FALSE(dispatcher_.handle(Call::posted, posted).wanted);
  EXPECT_TRUE(board_.running());
  board_.advance();
  EXPECT_EQ(value_in(whole(dispatcher_.handle(Call::read_registers, register_read(kBase + 0x18)))), 42U);
  posted.pop_back();
  EXPECT_THROW(dispatcher_.handle(Call::posted, posted), WireError);
}

TEST_F(DispatcherTest, SettingsOfTheHostArrive) {
  const auto text = [](const char* words) { return std::as_bytes(std::span(words, std::strlen(words))); };
  MessageWriter pair, message;
  pair.bytes(1, text("key")).bytes(2, text("value"));
  message.bytes(3, pair.message());
  dispatcher_.handle(Call::set_environment, message.message());
  EXPECT_EQ(settings_["key"], "value");
}

TEST_F(DispatcherTest, RandomBytesAreRefusedOrIgnored) {
  constexpr unsigned kSeed = 3;
  std::mt19937 random(kSeed);
  const Call calls[]{Call::allocate,        Call::release,        Call::copy_to_device, Call::copy_from_device,
                     Call::write_registers, Call::read_registers, Call::write_memory,   Call::read_memory,
                     Call::set_environment, Call::posted,         Call::messages};
  for (int i = 0; i < 20'000; ++i) {
    Bytes body(random() % 24);
    for (std::byte& byte : body) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 64);
    try {
      dispatcher_.handle(calls[random() % std::size(calls)], body);
    } catch (const WireError&) {
    }
  }
  write(0, bytes_of({9}));
  EXPECT_EQ(read(0, 1), bytes_of({9}));
}

// ------------------------------------------------------------------------------------------------------ server
// A host's end of a connection to a server in a thread.
class ServerTest : public testing::Test {
 protected:
  ServerTest() { board_.add(kBase, std::make_unique<Adder>(1000)); }
  ~ServerTest() override { host_.reset(); }  // which ends the server

  void serve() {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    host_.emplace(ends[0]);
    thread_ = std::jthread([this, end = ends[1]] {
      Socket device(end);
      end_ = Server(board_, faults_).serve(device, [this] { closing_ = true; });
    });
  }
  Bytes request(Call call, const Bytes& body) {
    EXPECT_TRUE(host_->send(encode(RequestHeader{call, body.size()}), body));
    std::array<std::byte, kReplyHeaderBytes> header;
    EXPECT_TRUE(host_->receive(header));
    Bytes reply(decode_reply_header(header));
    EXPECT_TRUE(host_->receive(reply));
    return reply;
  }

  EmulatedBoard board_{1};
  Faults faults_;
  bool closing_ = false;
  End end_{};
  std::optional<Socket> host_;
  std::jthread thread_;  // last: ends before what it uses
};

TEST_F(ServerTest, KernelsRunWhileTheHostPolls) {
  serve();
  request(Call::write_registers, register_write(kBase + 0x10, 1));
  request(Call::write_registers, register_write(kBase + 0x14, 2));
  request(Call::write_registers, register_write(kBase, 1));
  int polls = 0;
  while (value_in(request(Call::read_registers, register_read(kBase))) == 1) ++polls;
  EXPECT_LT(polls, 200);  // each waits for many steps, not for one
  EXPECT_EQ(value_in(request(Call::read_registers, register_read(kBase))), 4U) << "done clears when it is read";
  EXPECT_EQ(value_in(request(Call::read_registers, register_read(kBase + 0x18))), 3U);
}

TEST_F(ServerTest, ClosingIsAnsweredAfterTheCallback) {
  serve();
  request(Call::close, {});
  thread_.join();
  EXPECT_TRUE(closing_);
  EXPECT_EQ(end_, End::closed);
}

TEST_F(ServerTest, EndsWhenTheHostIsGoneEvenInTheMiddleOfARequest) {
  for (std::size_t part : {0, 5, 14, 20}) {
    serve();
    const Bytes body(100);
    const auto header = encode(RequestHeader{Call::write_memory, body.size()});
    Bytes all(header.begin(), header.end());
    all.insert(all.end(), body.begin(), body.end());
    host_->send(std::span<const std::byte>(all).first(part));
    host_.reset();
    thread_.join();
    EXPECT_EQ(end_, End::host_gone);
  }
}

TEST_F(ServerTest, SilentBoardsStillSeeThatTheirHostIsGone) {
  faults_ = Faults::parse("silent");
  serve();
  const Bytes start = register_write(kBase, 1);
  host_->send(encode(RequestHeader{Call::write_registers, start.size()}), start);
  EXPECT_TRUE(host_->readable(1000ms));  // the start is answered
  host_->send(encode(RequestHeader{Call::messages, 0}));
  std::array<std::byte, 11> reply;
  EXPECT_TRUE(host_->receive(reply));
  EXPECT_FALSE(host_->readable(200ms));
  host_.reset();
  thread_.join();
  EXPECT_EQ(end_, End::host_gone);
}

// ------------------------------------------------------------------------------------------------- directories
TEST(PrivateDirectory, GoesWithItsOwnerAndThoseOfDeadOwnersWithTheNext) {
  char base[] = "/tmp/heddle-test-XXXXXX";
  ASSERT_NE(mkdtemp(base), nullptr);
  setenv("TMPDIR", base, 1);
  const std::filesystem::path parent = std::filesystem::path(base) / ("heddle-emulation-" + std::to_string(getuid()));
  {
    const PrivateDirectory living;
    const auto dead = parent / "1-dead";
    std::filesystem::create_directories(dead / "sub");
    std::filesystem::copy_file("/proc/self/comm", dead / "lock");
    const PrivateDirectory next;
    EXPECT_FALSE(std::filesystem::exists(dead));
    EXPECT_TRUE(std::filesystem::exists(living.path()));
    EXPECT_NE(living.path(), next.path());
  }
  EXPECT_FALSE(std::filesystem::exists(parent));
  std::filesystem::create_directory_symlink("/", parent);
  EXPECT_THROW(PrivateDirectory(), DeviceError);
  unsetenv("TMPDIR");
  std::filesystem::remove_all(base);
}

TEST(SocketPaths, FollowTheShimsRules) {
  unsetenv(kSocketDirectoryVariable);
  setenv("USER", "me", 1);
  setenv("EMULATION_SOCKETID", "device0_0_1", 1);
  EXPECT_EQ(socket_paths().requests, "/tmp/me/device0_0_1");
  EXPECT_EQ(socket_paths().host_memory, "/tmp/me/D2X_unix_sock_device0_0_1");
  unsetenv("USER");
  EXPECT_EQ(socket_paths().requests, "/tmp/xcl_sock");
  setenv(kSocketDirectoryVariable, "/x/y", 1);
  EXPECT_EQ(socket_paths().requests, "/x/y/device0_0_1");
  unsetenv(kSocketDirectoryVariable);
  unsetenv("EMULATION_SOCKETID");
}

}  // namespace
}  // namespace heddle::emulation
