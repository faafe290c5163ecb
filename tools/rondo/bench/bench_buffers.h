#pragma once

// The two buffers of a rank of `rondo bench`, with room for its largest size.
// Threads: one at a time.

#include <optional>
#include <string>

#include "rondo/communicator.h"
#include "tools/rondo/bench/memory.h"
#include "tools/rondo/bench/options.h"

namespace rondo::tool {

struct BenchBuffers {
  /// Errors: Error, there is no memory for them.
  BenchBuffers(const BenchOptions& options, Device device);

  BenchMemory input;
  BenchMemory output;
};

/// One word; with "@3" behind it where the third element behind a page's begin is the first.
std::string kind_of_buffers(const BenchOptions& options);

/// Called by every rank. Nothing on all of them where a rank has no memory, which was said then: by
/// rank 0 for all, or where rank 0 has some by those that have none. Errors: as a collective call.
std::optional<BenchBuffers> make_buffers(Communicator& communicator, const BenchOptions& options);

}  // namespace rondo::tool
