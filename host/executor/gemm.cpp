#include "host/executor/gemm.h"

#include <utility>

namespace heddle {

GemmRunner::GemmRunner(driver::Device& device, compiler::GemmProgram gemm)
    : device_(device),
      a_(gemm.a),
      b_(gemm.b),
      c_(gemm.c),
      slots_(allocate_slots(device, gemm.program.slot_lines)),
      program_(device, std::move(gemm.program)) {}

GemmResult GemmRunner::run(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b) {
  if (c_.rows > 0 && c_.columns > 0) {  // without elements of C the program reads nothing, and has no slots
    upload(device_, slots_, a_, a);
    upload(device_, slots_, b_, b);
  }
  program_.start(slots_);
  GemmResult result;
  result.counters = program_.wait();
  result.c = download(device_, slots_, c_);
  return result;
}

GemmResult run_gemm(driver::Device& device, const compiler::GemmShape& shape, std::span<const std::uint16_t> a,
                    std::span<const std::uint16_t> b) {
  return GemmRunner(device, compiler::compile_gemm(shape, device.config())).run(a, b);
}

}  // namespace heddle
