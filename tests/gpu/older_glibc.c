// Linked into the programs of scripts/gpu-check, which bring their libstdc++ in themselves: what
// that one takes from a newer C library than the machines with GPUs have (arc4random came
// with 2.36).

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits) abort();
  return bits;
}
