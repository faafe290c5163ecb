#pragma once

// What a tuning says of the world that it is measured in: by what all ranks hold equal, not by what
// one of them sees. Pure.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "transport/mesh/mesh.h"

namespace rondo::communicator {

/// The transport of all pairs of these ranks, two at least, or "mixed". `asked_for` is
/// MeshMeans::transport.
std::string_view transport_of_pairs(std::span<const transport::RankInfo> ranks,
                                    std::string_view asked_for);

/// By rank: how many cores the ranks of its host may run on together, whichever are bound to some.
std::vector<std::size_t> cores_of_hosts(std::span<const transport::RankInfo> ranks);

}  // namespace rondo::communicator
