#pragma once

// Costs of the algorithms that go by the layout, where there are several hosts: rings, and what
// goes inside hosts and between them. Pure; threads: any.

#include <cstddef>

#include "collectives/select/cost_terms.h"

namespace rondo::select {

/// Messages of several peers at once, taken in turn.
inline double one_step(double peers_and_self) { return 1 + (peers_and_self - 2) / 4; }
/// Steps of several messages, of which all but the first are taken in turn.
inline double steps_of_messages(double steps, double messages) {
  return steps + (messages - steps) / 4;
}

/// What a ring costs whose steps are `around`, in the order of the ranks' numbers or of the layout:
/// several streams share a host's link, and the slowest link of the ring counts.
CostTerms ring_by_rank(CostTerms around, const Layout& layout);
CostTerms ring_by_order(CostTerms around, const Layout& layout);

/// Hierarchical all_gather and reduce_scatter; all_reduce.
CostTerms once_between_hosts(const schedule::HostLayout& hosts);
CostTerms twice_between_hosts(const schedule::HostLayout& hosts);
/// Hierarchical broadcast; reduce. `layout.hosts` isn't null.
CostTerms down_the_hosts(const Layout& layout, std::size_t bytes);
CostTerms up_the_hosts(const Layout& layout, std::size_t bytes);

}  // namespace rondo::select
