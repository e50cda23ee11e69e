// Where a matrix lies in device memory, and how its parts travel.
//
// Rows are padded to whole lines. To let several AXI ports share the traffic, row r lies in slot `slot + r mod bands`,
// as that slot's row r / bands, counted from `line`. Padding lanes hold anything.
#pragma once

#include <cstdint>

#include "host/compiler/program_builder.h"

namespace heddle::compiler {

enum class Format : std::uint8_t { bf16, fp32 };
constexpr std::uint32_t lanes_per_line(Format f) { return f == Format::bf16 ? 32 : 16; }

struct DeviceTensor {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  Format format = Format::bf16;
  std::uint32_t row_lines = 0;
  std::uint32_t slot = 0;
  std::uint32_t bands = 1;
  std::uint64_t line = 0;

  std::uint64_t band_rows(std::uint32_t band) const { return (rows + bands - 1 - band) / bands; }
};

// Places tensors one after the other in slots `first_slot` to `first_slot + bands - 1`. fp32 rows that VEC works on are
// whole panels of 32 lanes (`pad_to_panel`).
class SlotPlanner {
 public:
  SlotPlanner(std::uint32_t first_slot, std::uint32_t bands) : slot_(first_slot), bands_(bands) {}
  DeviceTensor place(std::uint64_t rows, std::uint64_t columns, Format format, bool pad_to_panel);
  std::uint64_t lines() const { return line_; }  // taken so far in each slot

 private:
  std::uint32_t slot_;
  std::uint32_t bands_;
  std::uint64_t line_ = 0;  // the same in each band
};

// A rectangle of a tensor, in rows and lines of rows.
struct Rectangle {
  std::uint64_t row = 0;
  std::uint32_t rows = 0;
  std::uint32_t line = 0;
  std::uint32_t lines = 0;
};

// Emits the LOADs (STOREs) that bring a rectangle to (from) the unified buffer: its row i starts at buffer line
// `buf_line + i * pitch`. One instruction a band.
void emit_load(ProgramBuilder& builder, const DeviceTensor& tensor, const Rectangle& part, std::uint32_t buf_line,
               std::uint32_t pitch);
void emit_store(ProgramBuilder& builder, const DeviceTensor& tensor, const Rectangle& part, std::uint32_t buf_line,
                std::uint32_t pitch);
// Stores fp32 rows of 32 lanes (part.lines 1 or 2) from accumulator rows acc_line, acc_line + 1, ...
void emit_store_accumulators(ProgramBuilder& builder, const DeviceTensor& tensor, const Rectangle& part,
                             std::uint32_t acc_line);

}  // namespace heddle::compiler
