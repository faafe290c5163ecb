#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "collectives/algorithms/registry.h"

namespace rondo::algorithms {
namespace {

using schedule::Collective;
using schedule::HostLayout;
using schedule::Op;
using schedule::OpKind;
using schedule::Rank;

/// Whom `rank` sends to.
std::set<Rank> next_of(Collective collective, const HostLayout& layout, Rank rank) {
  const int world = layout.world();
  schedule::Request request{.collective = collective, .world = world, .rank = rank};
  request.rows = static_cast<std::uint32_t>(world);
  request.layout = std::make_shared<const HostLayout>(layout);
  const schedule::RankSchedule own = find(collective, "neighbour_ring")->build(request);
  std::set<Rank> peers;
  for (const Op& op : own.lanes[0]) {
    if (op.kind == OpKind::kSend) peers.insert(op.peer);
  }
  return peers;
}

class NeighbourRing : public testing::TestWithParam<Collective> {};

TEST_P(NeighbourRing, RanksDealtOutToHosts_LeaveEachHostOnce) {
  const HostLayout layout(std::vector<int>{0, 1, 0, 1, 0, 1});
  int crossings = 0;
  for (Rank rank = 0; rank < 6; ++rank) {
    const std::set<Rank> next = next_of(GetParam(), layout, rank);
    ASSERT_EQ(next.size(), 1U);
    crossings += layout.host_of(*next.begin()) != layout.host_of(rank) ? 1 : 0;
  }
  EXPECT_EQ(crossings, 2);
  EXPECT_EQ(next_of(GetParam(), layout, 0), std::set<Rank>{2});
}

TEST_P(NeighbourRing, OrderOfTheRequest_IsFollowed) {
  const HostLayout layout = HostLayout::one_host(4).with_order({2, 0, 3, 1});
  EXPECT_EQ(next_of(GetParam(), layout, 2), std::set<Rank>{0});
  EXPECT_EQ(next_of(GetParam(), layout, 1), std::set<Rank>{2});
}

INSTANTIATE_TEST_SUITE_P(Collectives, NeighbourRing,
                         testing::Values(Collective::kAllReduce, Collective::kAllGather,
                                         Collective::kReduceScatter),
                         [](const auto& parameter) {
                           return std::string(to_string(parameter.param));
                         });

}  // namespace
}  // namespace rondo::algorithms
