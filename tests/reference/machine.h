// The whole core a second time, in the plainest possible way: one element after the other, straight from
// docs/design.md, sections 2 to 4. No checks, no tokens, no speed; nothing shared with sim/.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "config/config.h"
#include "rtl/isa/isa.h"

namespace heddle::plain {

using Memory = std::array<std::vector<std::uint8_t>, 16>;  // content of each slot

class Machine {
 public:
  explicit Machine(const config::Config& config);

  // Executes a legal program up to its HALT, or up to word `end`.
  void run(std::span<const isa::Word> program, std::size_t end, Memory& memory);

  std::vector<std::uint8_t> buffer;         // unified buffer, 64 bytes a line
  std::vector<std::uint32_t> accumulators;  // rows of 32 lanes

 private:
  std::uint16_t buffer_bf16(std::uint64_t line, unsigned lane) const;
  void copy_lines(const isa::Dims& dims, const isa::Load* load, const isa::Store* store, Memory& memory);
  void matmul(const isa::Wload& wload, const isa::Matmul& matmul);
  void vec(const isa::Vop& vop, const isa::Vec& vec);
  std::uint32_t operand(unsigned kind, std::uint64_t line, unsigned lane) const;
  void write_row(const isa::Vop& vop, const isa::Vec& vec, std::uint64_t row, const std::array<std::uint32_t, 32>& v);

  config::Config config_;
};

}  // namespace heddle::plain
