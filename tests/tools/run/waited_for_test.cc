#include "tools/rondo/run/waited_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

namespace rondo::tool {
namespace {

using testing::EndsWith;

TEST(DescribeWaiting, OneRank_isNamed) {
  EXPECT_EQ(describe_waiting(SIGTERM, {{.rank = 3, .pid = 74}}),
            "1 s after SIGTERM still waiting for rank 3 (pid 74); another SIGTERM kills it");
}

TEST(DescribeWaiting, ManyRanks_theFirstAreNamed) {
  std::vector<WaitedFor> ranks;
  for (int rank = 0; rank < 8; ++rank) ranks.push_back({.rank = rank, .pid = 100 + rank});
  EXPECT_THAT(describe_waiting(SIGINT, ranks),
              EndsWith("rank 6 (pid 106), rank 7 (pid 107); another SIGINT kills them"));
  ranks.push_back({.rank = 8, .pid = 108});
  EXPECT_THAT(describe_waiting(SIGINT, ranks),
              EndsWith("rank 7 (pid 107) and 1 more; another SIGINT kills them"));
}

}  // namespace
}  // namespace rondo::tool
