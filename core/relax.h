#pragma once

// One turn of a busy wait: tells the processor so, which spares power and the other hyper-thread.

namespace rondo {

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace rondo
