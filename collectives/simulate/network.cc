#include "collectives/simulate/network.h"

#include <algorithm>
#include <limits>

namespace rondo::simulate {
namespace {

/// 0 where nothing limits any of them.
double slowest_direction(const HostGroup& group) {
  if (group.up_bytes_per_us == kUnlimited) return group.down_bytes_per_us;
  if (group.down_bytes_per_us == kUnlimited) return group.up_bytes_per_us;
  return std::min(group.up_bytes_per_us, group.down_bytes_per_us);
}

bool links_differ(const Network& network) {
  const double first = slowest_direction(network.groups.front());
  return std::any_of(network.groups.begin(), network.groups.end(),
                     [&](const HostGroup& group) { return slowest_direction(group) != first; });
}

double fastest_link(const Network& network) {
  double fastest = 0;
  for (const HostGroup& group : network.groups)
    fastest = std::max(fastest, slowest_direction(group));
  return fastest;
}

schedule::LinkSpeeds speeds_of(const Network& network) {
  const double fastest = fastest_link(network);
  std::vector<double> speeds;
  for (const HostGroup& group : network.groups) {
    const double speed = slowest_direction(group);
    speeds.insert(speeds.end(), static_cast<std::size_t>(group.hosts * group.ranks),
                  speed == kUnlimited ? fastest : speed);
  }
  return schedule::LinkSpeeds::of_ranks(speeds);
}

/// Crossovers are moved by these, never results; measured on a 2-core Xeon.
Link default_link(bool inside) {
  MessageCost cost;
  cost.latency_us = inside ? 0.6 : 9;
  cost.send_us = inside ? 0.2 : 3;
  cost.receive_us = inside ? 0.2 : 3;
  cost.send_us_per_byte = inside ? 0 : 1.0 / 6000;
  cost.receive_us_per_byte = inside ? 0 : 1.0 / 6000;
  Link link;
  link.maps = inside;
  link.costs = {cost};
  return link;
}

}  // namespace

const MessageCost& Link::cost_of(std::size_t message_bytes) const {
  const auto found = std::find_if(costs.begin(), costs.end(), [&](const MessageCost& cost) {
    return message_bytes <= cost.most_bytes;
  });
  return found == costs.end() ? costs.back() : *found;
}

int Network::world() const {
  int ranks = 0;
  for (const HostGroup& group : groups) ranks += group.hosts * group.ranks;
  return ranks;
}

Network default_network(int hosts, int ranks) {
  constexpr double kTenGigabit = 1250;
  Network network;
  network.groups = {HostGroup{.hosts = hosts,
                              .ranks = ranks,
                              .cores = ranks,
                              .up_bytes_per_us = kTenGigabit,
                              .down_bytes_per_us = kTenGigabit}};
  network.inside = default_link(true);
  network.between = default_link(false);
  network.work = {.call_us = 0.1,
                  .read_us_per_byte = 1.0 / 20000,
                  .write_us_per_byte = 1.0 / 20000,
                  .reduce_us_per_byte = 1.0 / 40000};
  return network;
}

const HostGroup& group_of_host(const Network& network, int host) {
  auto group = network.groups.begin();
  for (; host >= group->hosts; ++group) host -= group->hosts;
  return *group;
}

std::vector<int> hosts_of_ranks(const Network& network) {
  std::vector<int> host_of;
  int host = 0;
  for (const HostGroup& group : network.groups) {
    for (int i = 0; i < group.hosts; ++i, ++host)
      host_of.insert(host_of.end(), static_cast<std::size_t>(group.ranks), host);
  }
  return host_of;
}

schedule::SharedLayout layout_without_speeds(const Network& network) {
  return std::make_shared<const schedule::HostLayout>(
      schedule::HostLayout(hosts_of_ranks(network)));
}

schedule::SharedLayout layout_of(const Network& network) {
  // Speeds are kept for each pair: as many as make a difference to a choice.
  constexpr int kMostRanksWithSpeeds = 1024;
  schedule::SharedLayout hosts = layout_without_speeds(network);
  if (!links_differ(network) || network.world() > kMostRanksWithSpeeds) return hosts;
  return std::make_shared<const schedule::HostLayout>(hosts->with_links(speeds_of(network)));
}

}  // namespace rondo::simulate
