#pragma once

// Where the tuning of a set of hosts is kept between runs. Threads: any.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/status.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

/// A file in the folder of caches (RONDO_CACHE_DIR, XDG_CACHE_HOME/rondo, HOME/.cache/rondo).
/// Worlds of as many ranks on the same hosts with as many cores, each rank's own and all ranks'
/// together, over the same transport, share it, but for those that ask for segments of their own
/// (`segment_bytes`; 0: they don't).
/// Errors: InvalidArgument (there is no such folder).
Result<std::string> cached_tuning_path(std::string_view transport,
                                       std::span<const transport::RankInfo> ranks,
                                       std::size_t segment_bytes);

}  // namespace rondo::communicator
