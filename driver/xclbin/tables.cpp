#include "driver/xclbin/tables.h"

namespace heddle::xclbin {
namespace {

constexpr std::size_t kBankBytes = 40, kTagBytes = 16;
constexpr std::size_t kUnitBytes = 80, kUnitNameBytes = 64;
constexpr std::size_t kConnectionBytes = 12;
constexpr std::uint8_t kDdr4 = 1, kHbm = 6;
constexpr std::uint32_t kKernel = 1;            // type of an entry in IP_LAYOUT
constexpr std::uint32_t kHandshakeControl = 0;  // ap_ctrl_hs, in the properties
constexpr std::uint64_t kKibibyte = 1024, kPage = 4096;

MemoryKind kind_of(std::uint8_t type) {
  if (type == kDdr4) return MemoryKind::ddr;
  return type == kHbm ? MemoryKind::hbm : MemoryKind::other;
}

Bank read_bank(ByteReader& in) {
  Bank bank;
  bank.kind = kind_of(in.number<std::uint8_t>());
  bank.used = in.number<std::uint8_t>() != 0;
  in.skip(6);
  const auto kibibytes = in.number<std::uint64_t>();
  bank.base = in.number<std::uint64_t>();
  bank.tag = in.name(kTagBytes);
  if (!bank.used) return bank;
  if (kibibytes > (~std::uint64_t{0} - bank.base) / kKibibyte)
    throw InputError("section MEM_TOPOLOGY: bank " + bank.tag + " ends beyond the address space");
  if (bank.kind != MemoryKind::other && bank.base % kPage != 0)
    throw InputError("section MEM_TOPOLOGY: bank " + bank.tag + " does not start at a multiple of 4 KiB");
  bank.bytes = kibibytes * kKibibyte;
  return bank;
}

}  // namespace

Bytes mem_topology(const std::vector<Bank>& banks) {
  ByteWriter out;
  out.number(static_cast<std::uint32_t>(banks.size())).fill(4);
  for (const Bank& bank : banks) {
    out.number(bank.kind == MemoryKind::hbm ? kHbm : kDdr4).number(std::uint8_t{bank.used}).fill(6);
    out.number(bank.bytes / kKibibyte).number(bank.base).name(bank.tag, kTagBytes);
  }
  return out.take();
}

Bytes ip_layout(const std::string& kernel, const std::vector<ComputeUnit>& units) {
  ByteWriter out;
  out.number(static_cast<std::uint32_t>(units.size())).fill(4);
  for (const ComputeUnit& unit : units)
    out.number(kKernel).number(kHandshakeControl).number(unit.base).name(kernel + ":" + unit.name, kUnitNameBytes);
  return out.take();
}

Bytes connectivity(const std::vector<Connection>& connections) {
  ByteWriter out;
  out.number(static_cast<std::uint32_t>(connections.size()));
  for (const Connection& c : connections) out.number(c.argument).number(c.unit).number(c.bank);
  return out.take();
}

std::vector<Bank> read_mem_topology(std::span<const std::byte> data) {
  ByteReader in(data, "section MEM_TOPOLOGY");
  std::vector<Bank> banks;
  const std::size_t count = in.count<std::uint32_t>(kBankBytes, 4);
  for (std::size_t i = 0; i < count; ++i) banks.push_back(read_bank(in));
  return banks;
}

std::vector<LayoutEntry> read_ip_layout(std::span<const std::byte> data) {
  ByteReader in(data, "section IP_LAYOUT");
  std::vector<LayoutEntry> entries;
  const std::size_t count = in.count<std::uint32_t>(kUnitBytes, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto type = in.number<std::uint32_t>();
    in.skip(4);
    const auto base = in.number<std::uint64_t>();
    const std::string name = in.name(kUnitNameBytes);
    if (type != kKernel) continue;
    const std::size_t colon = name.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == name.size())
      throw InputError("section IP_LAYOUT: \"" + name + "\" is not of the form kernel:instance");
    entries.push_back({i, name.substr(0, colon), {name.substr(colon + 1), base}});
  }
  return entries;
}

std::vector<Connection> read_connectivity(std::span<const std::byte> data) {
  ByteReader in(data, "section CONNECTIVITY");
  std::vector<Connection> connections;
  const std::size_t count = in.count<std::uint32_t>(kConnectionBytes, 0);
  for (std::size_t i = 0; i < count; ++i) {
    Connection c;
    c.argument = in.number<std::uint32_t>();
    c.unit = in.number<std::uint32_t>();
    c.bank = in.number<std::uint32_t>();
    connections.push_back(c);
  }
  return connections;
}

}  // namespace heddle::xclbin
