#include "collectives/schedule/host_layout.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace rondo::schedule {

HostLayout::HostLayout(std::span<const int> host_of) {
  std::unordered_map<int, std::size_t> hosts;  // by their entries
  for (std::size_t rank = 0; rank < host_of.size(); ++rank) {
    const std::size_t host = hosts.emplace(host_of[rank], hosts.size()).first->second;
    if (host == ranks_of_.size()) ranks_of_.emplace_back();
    host_of_.push_back(static_cast<int>(host));
    ranks_of_[host].push_back(static_cast<Rank>(rank));
    most_ranks_ = std::max(most_ranks_, static_cast<int>(ranks_of_[host].size()));
  }
  std::vector<Rank> order;
  for (const std::vector<Rank>& ranks : ranks_of_) {
    order.insert(order.end(), ranks.begin(), ranks.end());
  }
  set_order(std::move(order));
}

HostLayout HostLayout::one_host(int world) {
  return HostLayout(std::vector<int>(static_cast<std::size_t>(world), 0));
}

HostLayout HostLayout::with_order(std::vector<Rank> order) const {
  HostLayout other = *this;
  other.set_order(std::move(order));
  return other;
}

HostLayout HostLayout::with_links(LinkSpeeds links) const {
  HostLayout other = *this;
  other.set_order(fast_ring(links, order_));
  other.links_ = std::make_shared<const LinkSpeeds>(std::move(links));
  return other;
}

void HostLayout::set_order(std::vector<Rank> order) {
  order_ = std::move(order);
  place_of_.assign(order_.size(), 0);
  for (std::size_t place = 0; place < order_.size(); ++place) {
    place_of_[static_cast<std::size_t>(order_[place])] = static_cast<int>(place);
  }
}

}  // namespace rondo::schedule
