// What crosses between hosts in the hierarchical algorithms, on hosts of equal and unequal numbers
// of ranks, of neighbours and dealt out.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/algorithms/registry.h"

namespace rondo::algorithms {
namespace {

using schedule::Collective;
using schedule::HostLayout;
using schedule::Op;
using schedule::OpKind;
using schedule::Rank;

/// How often each row is sent from a host to another: by (from, to), then row.
using Crossings = std::map<std::pair<int, int>, std::map<std::uint32_t, int>>;

Crossings crossings_of(Collective collective, const HostLayout& layout, std::uint32_t rows,
                       Rank root = 0) {
  Crossings crossings;
  schedule::Request request{.collective = collective, .world = layout.world(), .root = root};
  request.rows = rows;
  request.layout = std::make_shared<const HostLayout>(layout);
  const Algorithm& algorithm = *find(collective, "hierarchical");
  for (Rank rank = 0; rank < layout.world(); ++rank) {
    request.rank = rank;
    const schedule::RankSchedule own = algorithm.build(request);
    for (const Op& op : own.lanes[0]) {
      if (op.kind != OpKind::kSend || layout.host_of(op.peer) == layout.host_of(rank)) continue;
      ++crossings[{layout.host_of(rank), layout.host_of(op.peer)}][row_of(own, op.source)];
    }
  }
  return crossings;
}

class HostCrossings : public testing::TestWithParam<std::vector<int>> {
 protected:
  const HostLayout layout_{GetParam()};
  std::uint32_t rows() const { return static_cast<std::uint32_t>(layout_.world()); }
  int next(int host) const { return (host + 1) % layout_.hosts(); }
};

TEST_P(HostCrossings, AllGather_EachRowEntersEveryOtherHostOnce) {
  Crossings expected;
  for (int host = 0; host < layout_.hosts(); ++host) {
    for (Rank rank = 0; rank < layout_.world(); ++rank) {
      if (layout_.host_of(rank) != next(host))
        expected[{host, next(host)}][static_cast<std::uint32_t>(rank)] = 1;
    }
  }
  EXPECT_EQ(crossings_of(Collective::kAllGather, layout_, rows()), expected);
}

TEST_P(HostCrossings, ReduceScatter_OneSumOfEachRowLeavesEveryOtherHost) {
  Crossings expected;
  for (int host = 0; host < layout_.hosts(); ++host) {
    for (Rank rank = 0; rank < layout_.world(); ++rank) {
      if (layout_.host_of(rank) != host)
        expected[{host, next(host)}][static_cast<std::uint32_t>(rank)] = 1;
    }
  }
  EXPECT_EQ(crossings_of(Collective::kReduceScatter, layout_, rows()), expected);
}

TEST_P(HostCrossings, Broadcast_EachRowEntersEveryOtherHostOnce) {
  for (Rank root = 0; root < layout_.world(); ++root) {
    for (const std::uint32_t row_count : {1U, 16U}) {
      std::map<std::pair<int, std::uint32_t>, int> entered;
      for (const auto& [hosts, sent] :
           crossings_of(Collective::kBroadcast, layout_, row_count, root)) {
        for (const auto& [row, times] : sent) entered[{hosts.second, row}] += times;
      }
      std::map<std::pair<int, std::uint32_t>, int> expected;
      for (int host = 0; host < layout_.hosts(); ++host) {
        for (std::uint32_t row = 0; row < row_count; ++row)
          if (host != layout_.host_of(root)) expected[{host, row}] = 1;
      }
      EXPECT_EQ(entered, expected) << "root " << root << ", " << row_count << " rows";
    }
  }
}

TEST_P(HostCrossings, Reduce_OneSumOfEachRowLeavesEveryOtherHost) {
  for (Rank root = 0; root < layout_.world(); ++root) {
    for (const std::uint32_t each : {1U, 16U}) {
      const std::uint32_t row_count = each * static_cast<std::uint32_t>(layout_.most_ranks());
      std::map<std::pair<int, std::uint32_t>, int> left;
      for (const auto& [hosts, sent] :
           crossings_of(Collective::kReduce, layout_, row_count, root)) {
        for (const auto& [row, times] : sent) left[{hosts.first, row}] += times;
      }
      std::map<std::pair<int, std::uint32_t>, int> expected;
      for (int host = 0; host < layout_.hosts(); ++host) {
        for (std::uint32_t row = 0; row < row_count; ++row)
          if (host != layout_.host_of(root)) expected[{host, row}] = 1;
      }
      EXPECT_EQ(left, expected) << "root " << root << ", " << row_count << " rows";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, HostCrossings,
                         testing::Values(std::vector{0, 0, 1, 1, 2, 2},
                                         std::vector{0, 1, 2, 0, 1, 2},
                                         std::vector{0, 1, 1, 1, 2, 2},
                                         std::vector{0, 1, 0, 2, 1, 0, 0}, std::vector{0, 1, 2, 3},
                                         std::vector{0, 0, 0}));

/// The hosts that the host of rank 0 sends to, and how many any other sends to, at most.
std::pair<int, int> hosts_sent_to(int hosts, std::uint32_t rows) {
  std::vector<int> host_of;
  for (int rank = 0; rank < 2 * hosts; ++rank) host_of.push_back(rank / 2);
  std::map<int, int> peers;
  for (const auto& [pair, sent] : crossings_of(Collective::kBroadcast, HostLayout(host_of), rows))
    ++peers[pair.first];
  int most_of_others = 0;
  for (const auto& [host, count] : peers)
    if (host != 0) most_of_others = std::max(most_of_others, count);
  return {peers[0], most_of_others};
}

TEST(HierarchicalBroadcast, ManyRows_GoAlongAChainOfHosts) {
  EXPECT_EQ(hosts_sent_to(8, 1), std::pair(3, 2)) << "a tree";
  EXPECT_EQ(hosts_sent_to(8, 3), std::pair(3, 2)) << "9 rows' time either way";
  EXPECT_EQ(hosts_sent_to(8, 4), std::pair(1, 1)) << "10 instead of 12";
}

}  // namespace
}  // namespace rondo::algorithms
