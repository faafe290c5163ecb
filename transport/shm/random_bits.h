#pragma once

#include <cstdint>

namespace rondo::transport {

/// 64 bits from the kernel's generator, for names that nobody can guess. Threads: any.
std::uint64_t random_bits();

}  // namespace rondo::transport
