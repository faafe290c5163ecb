#pragma once

// How often this test program has called operator new, and for how much; linked with
// allocation_count.cc, which replaces it. Threads: any.

#include <cstdint>

namespace rondo::transport {

std::uint64_t allocation_count();
/// Asked for since the program began, whether given back or not.
std::uint64_t allocated_bytes();

}  // namespace rondo::transport
