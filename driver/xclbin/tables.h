// The binary tables of an xclbin: memory banks, compute units, and which argument reaches which bank.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "driver/xclbin/bytes.h"
#include "driver/xclbin/kernel_interface.h"

namespace heddle::xclbin {

// A compute unit as IP_LAYOUT has it, and its index there, which CONNECTIVITY refers to.
struct LayoutEntry {
  std::uint32_t index = 0;
  std::string kernel;
  ComputeUnit unit;
};

Bytes mem_topology(const std::vector<Bank>& banks);
Bytes ip_layout(const std::string& kernel, const std::vector<ComputeUnit>& units);
Bytes connectivity(const std::vector<Connection>& connections);

// Each throws InputError for counts, types and names that cannot be.
std::vector<Bank> read_mem_topology(std::span<const std::byte> data);
std::vector<LayoutEntry> read_ip_layout(std::span<const std::byte> data);  // kernels only
std::vector<Connection> read_connectivity(std::span<const std::byte> data);

}  // namespace heddle::xclbin
