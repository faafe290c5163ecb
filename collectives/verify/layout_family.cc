#include "collectives/verify/layout_family.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace rondo::verify {
namespace {

using schedule::HostLayout;
using schedule::SharedLayout;

constexpr int kWholeFamilyUpTo = 24;
constexpr int kThreeLayoutsUpTo = 64;
constexpr int kHostsOfEightUpTo = 128;

HostLayout layout(int world, const std::function<int(int rank)>& host_of) {
  std::vector<int> hosts;
  for (int rank = 0; rank < world; ++rank) hosts.push_back(host_of(rank));
  return HostLayout(hosts);
}

HostLayout blocks(int world, int ranks) {
  return layout(world, [ranks](int rank) { return rank / ranks; });
}

HostLayout dealt_out(int world, int hosts) {
  return layout(world, [hosts](int rank) { return rank % hosts; });
}

HostLayout two_hosts(int world, int ranks_of_first) {
  return layout(world, [ranks_of_first](int rank) { return rank < ranks_of_first ? 0 : 1; });
}

/// Host h has h + 1 ranks.
HostLayout growing(int world) {
  return layout(world, [](int rank) {
    int host = 0;
    for (int end = 1; end <= rank; end += host + 1) ++host;
    return host;
  });
}

HostLayout odd_ranks_first(const HostLayout& layout) {
  std::vector<schedule::Rank> order;
  for (schedule::Rank rank = layout.world() - 1; rank >= 0; --rank) {
    if (rank % 2 == 1) order.push_back(rank);
  }
  for (schedule::Rank rank = 0; rank < layout.world(); rank += 2) order.push_back(rank);
  return layout.with_order(std::move(order));
}

/// The least power of a prime that divides the world and leaves no more of that prime; the world
/// itself where there is one prime alone.
int least_part(int world) {
  int least = world;
  for (int prime = 2; world > 1; ++prime) {
    int part = 1;
    for (; world % prime == 0; world /= prime) part *= prime;
    if (part > 1) least = std::min(least, part);
  }
  return least;
}

/// Hosts of equal numbers of ranks that have no common divisor with the number of hosts: one step
/// to the next host and to the next place in it goes through all ranks. That is their order.
HostLayout turning(int world, int ranks) {
  std::vector<schedule::Rank> order;
  for (int step = 0; step < world; ++step)
    order.push_back(step % (world / ranks) * ranks + step % ranks);
  return blocks(world, ranks).with_order(std::move(order));
}

std::vector<HostLayout> chosen(int world) {
  const int part = least_part(world);
  if (world > kHostsOfEightUpTo && part < world) return {turning(world, part)};
  if (world > kThreeLayoutsUpTo) return {blocks(world, 8)};
  std::vector<HostLayout> list{blocks(world, 8), growing(world), dealt_out(world, 3)};
  if (world > kWholeFamilyUpTo) return list;
  list.push_back(HostLayout::one_host(world));
  for (const int ranks : {1, 2, 3}) list.push_back(blocks(world, ranks));
  for (const int ranks : {world / 2, 1, world - 1}) list.push_back(two_hosts(world, ranks));
  list.push_back(dealt_out(world, 2));
  list.push_back(odd_ranks_first(blocks(world, 2)));
  return list;
}

}  // namespace

std::vector<SharedLayout> layout_family(int world) {
  std::vector<SharedLayout> family;
  for (HostLayout& candidate : chosen(world)) {
    const auto is_same = [&](const SharedLayout& other) { return *other == candidate; };
    if (std::any_of(family.begin(), family.end(), is_same)) continue;
    family.push_back(std::make_shared<const HostLayout>(std::move(candidate)));
  }
  return family;
}

std::vector<SharedLayout> layouts_for(const algorithms::Algorithm& algorithm, int world) {
  using algorithms::LayoutUse;
  if (algorithm.uses_layout == LayoutUse::kNone) return {};
  if (algorithm.uses_layout == LayoutUse::kHosts) return layout_family(world);
  return {std::make_shared<const HostLayout>(HostLayout::one_host(world)),
          std::make_shared<const HostLayout>(blocks(world, 1))};
}

}  // namespace rondo::verify
