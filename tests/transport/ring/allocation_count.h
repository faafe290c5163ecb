#pragma once

// How often this test program has called operator new; linked with allocation_count.cc, which
// replaces it. Threads: any.

#include <cstdint>

namespace rondo::transport {

std::uint64_t allocation_count();

}  // namespace rondo::transport
