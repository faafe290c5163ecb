#include "core/random_bits.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace rondo {

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  while (::getrandom(&bits, sizeof bits, 0) != ssize_t{sizeof bits}) {
    if (errno == EINTR) continue;
    throw std::system_error(errno, std::system_category(), "getrandom");
  }
  return bits;
}

}  // namespace rondo
