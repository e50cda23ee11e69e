#include "host/compiler/device_tensor.h"

#include <algorithm>

#include "common/error.h"

namespace heddle::compiler {
namespace {

constexpr std::uint32_t kCountLimit = 4095;                       // n0 and n1
constexpr std::uint32_t kMemoryStrideLimit = (1U << 18) - 1;      // mem_stride1
constexpr std::uint32_t kBufferStrideLimit = (1U << 14) - 1;      // buf_stride1
constexpr std::uint64_t kSlotLineLimit = std::uint64_t{1} << 28;  // mem_line

void check(const DeviceTensor& tensor, const Rectangle& part, std::uint32_t buffer_stride) {
  if (tensor.row_lines > kMemoryStrideLimit || part.lines > kCountLimit || buffer_stride > kBufferStrideLimit)
    throw CompileError("rows of " + std::to_string(tensor.columns) +
                       " elements are longer than one LOAD or STORE can step; " + "split the matrix by columns");
}

// The rows of one band within a rectangle, at most kCountLimit at once.
struct Run {
  std::uint32_t band;
  std::uint64_t mem_line;
  std::uint32_t first;  // row within the rectangle; the next one is `bands` further
  std::uint32_t count;
};

template <typename F>
void for_each_run(const DeviceTensor& tensor, const Rectangle& part, F f) {
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(tensor.bands, part.rows); ++i) {
    const std::uint64_t row = part.row + i;
    const std::uint32_t rows = (part.rows - i + tensor.bands - 1) / tensor.bands;
    for (std::uint32_t done = 0; done < rows; done += kCountLimit) {
      const std::uint64_t band_row = row / tensor.bands + done;
      f(Run{static_cast<std::uint32_t>(row % tensor.bands), tensor.line + band_row * tensor.row_lines + part.line,
            i + done * tensor.bands, std::min(rows - done, kCountLimit)});
    }
  }
}

// LOAD and STORE have the same fields for the pattern. Rows that follow each other without a gap become one row.
template <typename Transfer>
Transfer transfer(const DeviceTensor& tensor, const Rectangle& part, const Run& run, std::uint32_t buf_line,
                  std::uint32_t buf_stride) {
  Transfer x;
  x.slot = tensor.slot + run.band;
  x.mem_line = static_cast<std::uint32_t>(run.mem_line);
  x.buf_line = buf_line;
  const bool contiguous = part.lines == tensor.row_lines && part.lines == buf_stride;
  if (contiguous && run.count * part.lines <= kCountLimit) {
    x.n0 = run.count * part.lines;
    return x;
  }
  x.n0 = part.lines;
  x.n1 = run.count;
  x.mem_stride1 = tensor.row_lines;
  x.buf_stride1 = buf_stride;
  return x;
}

}  // namespace

DeviceTensor SlotPlanner::place(std::uint64_t rows, std::uint64_t columns, Format format, bool pad_to_panel) {
  DeviceTensor tensor;
  tensor.rows = rows;
  tensor.columns = columns;
  tensor.format = format;
  const std::uint64_t padded = pad_to_panel ? divide_up(columns, kLanes) * kLanes : columns;
  const std::uint64_t lines = divide_up(padded, lanes_per_line(format));
  if (lines > kMemoryStrideLimit)
    throw CompileError("rows of " + std::to_string(columns) +
                       " elements are longer than device tensors can be; split the " + "matrix by columns");
  tensor.row_lines = static_cast<std::uint32_t>(lines);
  tensor.slot = slot_;
  tensor.bands = bands_;
  tensor.line = line_;
  line_ += divide_up(rows, bands_) * lines;
  if (line_ > kSlotLineLimit)
    throw CompileError("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                       " and what shares its slot "
                       "exceed the 2^28 lines (16 GiB) of a slot; split the problem");
  return tensor;
}

void emit_load(ProgramBuilder& builder, const DeviceTensor& tensor, const Rectangle& part, std::uint32_t buf_line,
               std::uint32_t pitch) {
  const std::uint32_t stride = pitch * tensor.bands;
  check(tensor, part, stride);
  for_each_run(tensor, part, [&](const Run& run) {
    builder.load(transfer<isa::Load>(tensor, part, run, buf_line + run.first * pitch, stride));
  });
}

void emit_store(ProgramBuilder& builder, const DeviceTensor& tensor, const Rectangle& part, std::uint32_t buf_line,
                std::uint32_t pitch) {
  const std::uint32_t stride = pitch * tensor.bands;
  check(tensor, part, stride);
  for_each_run(tensor, part, [&](const Run& run) {
    builder.store(transfer<isa::Store>(tensor, part, run, buf_line + run.first * pitch, stride));
  });
}

void emit_store_accumulators(ProgramBuilder& builder, const DeviceTensor& tensor, const Rectangle& part,
                             std::uint32_t acc_line) {
  check(tensor, part, tensor.bands);
  for_each_run(tensor, part, [&](const Run& run) {
    isa::Store store;
    store.slot = tensor.slot + run.band;
    store.mem_line = static_cast<std::uint32_t>(run.mem_line);
    store.buf_line = acc_line + run.first;
    store.n0 = part.lines;
    store.n1 = run.count;
    store.mem_stride1 = tensor.row_lines;
    store.buf_stride1 = tensor.bands;
    store.source = isa::Store::Source::acc;
    builder.store(store);
  });
}

}  // namespace heddle::compiler
