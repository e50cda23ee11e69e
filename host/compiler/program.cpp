#include "host/compiler/program.h"

#include <bit>

namespace heddle::compiler {

isa::Word patched(const Patch& patch, float value) {
  isa::Vop vop = patch.vop;
  const auto bits = std::bit_cast<std::uint32_t>(patch.constant.factor * value);
  (patch.constant.field == ConstantField::imm_m ? vop.imm_m : vop.imm_a) = bits;
  return isa::encode(vop);
}

}  // namespace heddle::compiler
