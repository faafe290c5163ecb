#pragma once

// While it lives, this thread's processor takes denormal floats for zero and stores zero for them,
// as programs built with -ffast-math ask for. Elsewhere than on x86 it does nothing.

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace rondo::kernels {

class FlushedDenormals {
 public:
#if defined(__x86_64__)
  FlushedDenormals() : before_(_mm_getcsr()) {
    constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
    _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero);
  }
  ~FlushedDenormals() { _mm_setcsr(before_); }
#else
  FlushedDenormals() = default;
#endif
  FlushedDenormals(const FlushedDenormals&) = delete;
  FlushedDenormals& operator=(const FlushedDenormals&) = delete;

 private:
  [[maybe_unused]] unsigned before_ = 0;
};

}  // namespace rondo::kernels
