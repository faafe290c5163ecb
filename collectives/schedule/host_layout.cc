#include "collectives/schedule/host_layout.h"

#include <algorithm>
#include <utility>

namespace rondo::schedule {

HostLayout::HostLayout(std::span<const int> host_of) {
  std::vector<int> names;
  for (std::size_t rank = 0; rank < host_of.size(); ++rank) {
    const auto name = std::find(names.begin(), names.end(), host_of[rank]);
    const auto host = static_cast<std::size_t>(name - names.begin());
    if (name == names.end()) {
      names.push_back(host_of[rank]);
      ranks_of_.emplace_back();
    }
    host_of_.push_back(static_cast<int>(host));
    ranks_of_[host].push_back(static_cast<Rank>(rank));
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

int HostLayout::most_ranks() const {
  std::size_t most = 0;
  for (const std::vector<Rank>& ranks : ranks_of_) most = std::max(most, ranks.size());
  return static_cast<int>(most);
}

}  // namespace rondo::schedule
