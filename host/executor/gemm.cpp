#include "host/executor/gemm.h"

#include "host/executor/device_program.h"
#include "host/executor/tensor_transfer.h"

namespace heddle {

GemmResult run_gemm(driver::Device& device, const compiler::GemmShape& shape, std::span<const std::uint16_t> a,
                    std::span<const std::uint16_t> b) {
  compiler::GemmProgram gemm = compiler::compile_gemm(shape, device.config());
  const SlotBuffers slots = allocate_slots(device, gemm.program.slot_lines);
  if (shape.m > 0 && shape.n > 0 && shape.k > 0) {
    upload(device, slots, gemm.a, a);
    upload(device, slots, gemm.b, b);
  }
  DeviceProgram program(device, std::move(gemm.program));
  program.start(slots);
  GemmResult result;
  result.counters = program.wait();
  result.c = download(device, slots, gemm.c);
  return result;
}

}  // namespace heddle
