#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "collectives/algorithms/hierarchical_all_reduce.h"

namespace rondo::algorithms {
namespace {

using schedule::HostLayout;
using schedule::Op;
using schedule::OpKind;
using schedule::Rank;
using schedule::Request;

/// The rows that `rank` sends to ranks of other hosts, by peer.
std::map<Rank, int> sent_between(const std::vector<int>& hosts, Rank rank) {
  const HostLayout layout(hosts);
  Request request{.world = layout.world(), .rank = rank};
  request.layout = std::make_shared<const HostLayout>(layout);
  request.rows = hierarchical_rows(request);
  const schedule::RankSchedule own = hierarchical_all_reduce(request);
  std::map<Rank, int> sent;
  for (const Op& op : own.lanes[0]) {
    if (op.kind != OpKind::kSend || layout.host_of(op.peer) == layout.host_of(rank)) continue;
    ++sent[op.peer];
  }
  return sent;
}

TEST(HierarchicalAllReduce, EqualHosts_RanksTalkToTheirLikeOfTheNextHostAlone) {
  const std::vector<int> hosts{0, 0, 1, 1, 2, 2};
  EXPECT_EQ(sent_between(hosts, 0), (std::map<Rank, int>{{2, 4}}));
  EXPECT_EQ(sent_between(hosts, 3), (std::map<Rank, int>{{5, 4}}));
}

TEST(HierarchicalAllReduce, RankAloneOnItsHost_CarriesAllColumns) {
  const std::vector<int> hosts{0, 1, 1, 1};
  EXPECT_EQ(sent_between(hosts, 0), (std::map<Rank, int>{{1, 2}, {2, 2}, {3, 2}}));
  EXPECT_EQ(sent_between(hosts, 2), (std::map<Rank, int>{{0, 2}}));
}

TEST(HierarchicalAllReduce, OneHost_IsDirect) {
  EXPECT_EQ(hierarchical_rows({.world = 4}), 4U);
  EXPECT_TRUE(sent_between({0, 0, 0, 0}, 1).empty());
}

}  // namespace
}  // namespace rondo::algorithms
