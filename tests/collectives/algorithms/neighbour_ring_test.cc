#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "collectives/algorithms/neighbour_ring_all_reduce.h"

namespace rondo::algorithms {
namespace {

using schedule::HostLayout;
using schedule::Op;
using schedule::OpKind;
using schedule::Rank;

/// Whom `rank` sends to.
std::set<Rank> next_of(const HostLayout& layout, Rank rank) {
  const int world = layout.world();
  schedule::Request request{.world = world, .rank = rank};
  request.rows = static_cast<std::uint32_t>(world);
  request.layout = std::make_shared<const HostLayout>(layout);
  const schedule::RankSchedule own = neighbour_ring_all_reduce(request);
  std::set<Rank> peers;
  for (const Op& op : own.lanes[0]) {
    if (op.kind == OpKind::kSend) peers.insert(op.peer);
  }
  return peers;
}

TEST(NeighbourRing, RanksDealtOutToHosts_LeaveEachHostOnce) {
  const HostLayout layout(std::vector<int>{0, 1, 0, 1, 0, 1});
  int crossings = 0;
  for (Rank rank = 0; rank < 6; ++rank) {
    const std::set<Rank> next = next_of(layout, rank);
    ASSERT_EQ(next.size(), 1U);
    crossings += layout.host_of(*next.begin()) != layout.host_of(rank) ? 1 : 0;
  }
  EXPECT_EQ(crossings, 2);
  EXPECT_EQ(next_of(layout, 0), std::set<Rank>{2});
}

TEST(NeighbourRing, OrderOfTheRequest_IsFollowed) {
  const HostLayout layout = HostLayout::one_host(4).with_order({2, 0, 3, 1});
  EXPECT_EQ(next_of(layout, 2), std::set<Rank>{0});
  EXPECT_EQ(next_of(layout, 1), std::set<Rank>{2});
}

}  // namespace
}  // namespace rondo::algorithms
