#pragma once

// What passes the link of a host that several ranks share: where all of them send to other hosts at
// once, the link takes as many times as long. Pure; threads: any.

#include <span>

#include "collectives/schedule/host_layout.h"

namespace rondo::select {

/// The most streams that a host sends to others where every rank sends to the next of `order`; at
/// least 1.
double streams_between_hosts(const schedule::HostLayout& layout,
                             std::span<const schedule::Rank> order);

/// The same where every rank sends to the rank `distance` after it.
double streams_at_distance(const schedule::HostLayout& layout, int distance);

/// The most messages that a host sends to others down a binomial tree from rank 0
/// (algorithms/tree_broadcast.h); at least 1.
double tree_messages_between_hosts(const schedule::HostLayout& layout);

/// Ranks of the host that has fewest.
int least_ranks(const schedule::HostLayout& layout);

}  // namespace rondo::select
