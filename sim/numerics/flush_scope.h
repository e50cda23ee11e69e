// Makes the processor's own float arithmetic flush as the accelerator does, for the life of the object.
//
// Results below the normal range become zero of their sign, subnormal operands count as zero. The processor decides
// after rounding to 24 bits, as docs/design.md does. NaNs still have to be made canonical by hand.
#pragma once

#if !defined(__x86_64__)
#error "the functional model needs FTZ and DAZ of x86-64"
#endif
#include <xmmintrin.h>

namespace heddle::numerics {

class FlushScope {
 public:
  FlushScope() : saved_(_mm_getcsr()) { _mm_setcsr(kMaskedFlushNearest); }
  ~FlushScope() { _mm_setcsr(saved_); }
  FlushScope(const FlushScope&) = delete;
  FlushScope& operator=(const FlushScope&) = delete;

 private:
  static constexpr unsigned kMaskedFlushNearest = 0x9FC0U;  // FTZ, DAZ, all exceptions masked, round to nearest even
  unsigned saved_;
};

}  // namespace heddle::numerics
