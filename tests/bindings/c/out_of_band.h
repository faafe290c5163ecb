#pragma once

// C's communicators of ranks that have C++'s already.

#include <cstddef>

#include "rondo/communicator.h"

namespace rondo::testing {

/// For rondo_create_by_all_gather. `context`: the rank's C++ communicator.
inline int gather(void* context, const void* mine, void* all, std::size_t bytes) {
  auto& rank = *static_cast<Communicator*>(context);
  rank.all_gather(ConstBuffer(mine, bytes, DataType::kU8),
                  Buffer(all, bytes * static_cast<std::size_t>(rank.size()), DataType::kU8));
  return 0;
}

}  // namespace rondo::testing
