// Files that are damaged or made to harm: each gives one InputError, none a crash or a wrong image.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "driver/xclbin/image.h"
#include "driver/xclbin/metadata.h"
#include "driver/xclbin/tables.h"

namespace heddle::test {
namespace {

using namespace xclbin;

const Bytes& valid() {
  static const Bytes file = make_emulated(config::load("tiny"), "device");
  return file;
}

std::string error_of(const Bytes& file) {
  try {
    read(file, "it");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

template <typename T>
void put(Bytes& file, std::size_t at, T value) {
  std::memcpy(file.data() + at, &value, sizeof value);
}

TEST(Hostile, EveryTruncationIsRefused) {
  for (std::size_t bytes = 0; bytes < valid().size(); ++bytes)
    ASSERT_NE(error_of(Bytes(valid().begin(), valid().begin() + bytes)), "") << bytes;
  Bytes longer = valid();
  longer.push_back(std::byte{0});
  EXPECT_NE(error_of(longer), "");
}

TEST(Hostile, EveryFlippedBitIsRefused) {
  Bytes file = valid();
  ASSERT_EQ(error_of(file), "");
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    // Every bit of header and table, a sample of what follows.
    if (bit > 8 * 800 && bit % 37 != 0) continue;
    file[bit / 8] ^= std::byte(1 << bit % 8);
    ASSERT_NE(error_of(file), "") << "bit " << bit;
    file[bit / 8] ^= std::byte(1 << bit % 8);
  }
}

TEST(Hostile, OffsetsAndCountsThatOverflowAreRefused) {
  constexpr std::size_t kCount = 448, kTable = 456;
  for (std::uint64_t value :
       {~std::uint64_t{0}, ~std::uint64_t{7}, std::uint64_t{1} << 63, std::uint64_t{0}, std::uint64_t{16}}) {
    Bytes file = valid();
    put(file, kTable + 24, value);  // offset of the first section
    EXPECT_NE(error_of(file), "") << value;
    file = valid();
    put(file, kTable + 32, value);  // its size
    EXPECT_NE(error_of(file), "") << value;
  }
  for (std::uint32_t count : {0u, 7u, 255u, 0x10000u, ~0u}) {
    Bytes file = valid();
    put(file, kCount, count);
    EXPECT_NE(error_of(file), "") << count;
  }
}

TEST(Hostile, TablesThatPromiseMoreThanTheyHoldAreRefused) {
  for (std::uint32_t count : {2u, 1u << 20, ~0u}) {
    EXPECT_THROW(read_mem_topology(ByteWriter().number(count).fill(4 + 40).take()), InputError);
    EXPECT_THROW(read_ip_layout(ByteWriter().number(count).fill(4 + 80).take()), InputError);
    EXPECT_THROW(read_connectivity(ByteWriter().number(count).fill(12).take()), InputError);
  }
  EXPECT_THROW(read_mem_topology({}), InputError);
  const Bytes no_end = ByteWriter().number(1u).fill(4 + 24).fill(16, 'x').take();
  EXPECT_THROW(read_mem_topology(no_end), InputError) << "a tag without its zero";
}

TEST(Hostile, MetadataThatIsWrongIsRefused) {
  const std::string good = to_xml(emulated_interface(config::load("tiny")), kEmulationPlatform, 300);
  const auto refuses = [&](const std::string& from, const std::string& to) {
    std::string xml = good;
    const std::size_t at = xml.find(from);
    if (at == std::string::npos) return false;
    xml.replace(at, from.size(), to);
    try {
      read_metadata(std::as_bytes(std::span(xml)), kKernelName);
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refuses("<kernel name=\"heddle_top\"", "<kernel name=\"vadd\""));
  EXPECT_TRUE(refuses("offset=\"0x10\"", "offset=\"0x1g\""));
  EXPECT_TRUE(refuses("offset=\"0x10\"", "offset=\"0x100000000\""));
  EXPECT_TRUE(refuses("offset=\"0x10\"", "offset=\"\""));
  EXPECT_TRUE(refuses("addressQualifier=\"1\"", "addressQualifier=\"4\""));
  EXPECT_TRUE(refuses("size=\"0x8\"", "size=\"0x10\""));
  EXPECT_TRUE(refuses("id=\"1\"", "id=\"2\""));
  EXPECT_TRUE(refuses("<addrRemap", "<addrRemat"));
  EXPECT_TRUE(refuses("</project>", ""));
  EXPECT_TRUE(refuses("dataWidth=\"512\"", "dataWidth=\"99999999999999999999\""));
}

TEST(Hostile, RandomDamageIsRefusedOrReadWhole) {
  const std::uint64_t seed = std::random_device()();
  std::mt19937_64 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int i = 0; i < 3000; ++i) {
    Bytes file = valid();
    for (std::size_t changes = 1 + random() % 8; changes > 0; --changes) {
      const std::size_t at = random() % (random() % 4 == 0 ? file.size() : 800);
      const std::uint8_t values[] = {0, 1, 0x7F, 0x80, 0xFF, static_cast<std::uint8_t>(random())};
      file[at] = std::byte{values[random() % 6]};
    }
    if (file == valid()) continue;
    // The digest hides what stands behind it; with a right one the parsers have to hold by themselves.
    if (random() % 2 == 0) {
      const Uuid uuid = content_uuid(file);
      std::memcpy(file.data() + 416, uuid.data(), uuid.size());
      try {
        read(file, "it");
      } catch (const InputError&) {
      }
    } else {
      ASSERT_NE(error_of(file), "");
    }
  }
}

}  // namespace
}  // namespace heddle::test
