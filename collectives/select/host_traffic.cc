#include "collectives/select/host_traffic.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collectives/algorithms/hops.h"
#include "collectives/algorithms/tree_broadcast.h"

namespace rondo::select {

using schedule::HostLayout;
using schedule::Rank;

namespace {

/// Counts messages by the host that sends them.
class Links {
 public:
  explicit Links(const HostLayout& layout)
      : layout_(layout), sent_(static_cast<std::size_t>(layout.hosts()), 0) {}

  void send(Rank from, Rank to) {
    const int host = layout_.host_of(from);
    if (host != layout_.host_of(to)) ++sent_[static_cast<std::size_t>(host)];
  }
  double most() const { return std::max(1, *std::max_element(sent_.begin(), sent_.end())); }

 private:
  const HostLayout& layout_;
  std::vector<int> sent_;
};

}  // namespace

double streams_between_hosts(const HostLayout& layout, std::span<const Rank> order) {
  Links links(layout);
  for (std::size_t place = 0; place < order.size(); ++place)
    links.send(order[place], order[(place + 1) % order.size()]);
  return links.most();
}

double streams_at_distance(const HostLayout& layout, int distance) {
  Links links(layout);
  for (Rank rank = 0; rank < layout.world(); ++rank)
    links.send(rank, algorithms::hop_to(rank, distance, layout.world()));
  return links.most();
}

double tree_messages_between_hosts(const HostLayout& layout) {
  Links links(layout);
  for (Rank rank = 1; rank < layout.world(); ++rank)
    links.send(algorithms::tree_parent(rank), rank);
  return links.most();
}

int least_ranks(const HostLayout& layout) {
  int least = layout.world();
  for (int host = 0; host < layout.hosts(); ++host)
    least = std::min(least, static_cast<int>(layout.ranks_of(host).size()));
  return least;
}

}  // namespace rondo::select
