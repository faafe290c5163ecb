#include "collectives/algorithms/host_columns.h"

#include <algorithm>
#include <cstddef>

#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::Rank;

HostColumns::HostColumns(const schedule::Request& request)
    : layout_(schedule::layout_of(request)),
      rank_(request.rank),
      host_(layout_->host_of(rank_)),
      columns_(layout_->most_ranks()) {
  const auto ranks = here();
  const auto own = std::find(ranks.begin(), ranks.end(), rank_);
  number_ = static_cast<int>(own - ranks.begin());
  order_of_sum_.assign(ranks.begin(), ranks.end());
  if (hosts() > 1)
    std::rotate(order_of_sum_.begin(), order_of_sum_.begin() + number_, order_of_sum_.end());
}

Rank HostColumns::mate(int index) const {
  const auto ranks = here();
  return ranks[static_cast<std::size_t>(number_ + 1 + index) % ranks.size()];
}

Rank HostColumns::owner(int host, int column) const {
  const auto ranks = layout_->ranks_of(host);
  return ranks[static_cast<std::size_t>(column) % ranks.size()];
}

Rank HostColumns::next(int column) const { return owner(ring_next(host_, hosts()), column); }

Rank HostColumns::previous(int column) const {
  return owner(ring_previous(host_, hosts()), column);
}

}  // namespace rondo::algorithms
