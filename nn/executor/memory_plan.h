#pragma once

// Which temporaries share memory: two that are never alive at once may. The plan is made once per
// compiled program, before batch sizes are known, so it says which buffer, not how large. Pure.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::nn {

/// From the first op that writes a temporary to the last that touches it, both included.
struct Lifetime {
  std::size_t first = 0;
  std::size_t last = 0;
  /// Size, for a batch of one where it depends on the batch: what fits best is put together.
  std::size_t bytes = 0;
  bool batched = false;
};

/// The buffer of each temporary, numbered from 0. Of the buffers that are free, the one whose size
/// is nearest is taken; temporaries that grow with the batch and those that don't never share.
std::vector<std::size_t> assign_buffers(const std::vector<Lifetime>& lifetimes);

/// Bytes to allocate for a need of `bytes`: at most a quarter more, so that slightly different
/// batches need no new memory.
std::size_t size_class(std::size_t bytes);

}  // namespace rondo::nn
