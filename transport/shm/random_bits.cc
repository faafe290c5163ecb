#include "transport/shm/random_bits.h"

#include <random>

namespace rondo::transport {

std::uint64_t random_bits() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace rondo::transport
