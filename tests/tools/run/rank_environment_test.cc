#include "tools/rondo/run/rank_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::tool {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const WorldPlan kWorld{.ranks = 3, .job = 0xabc, .store_address = "127.0.0.1:9", .store_fd = 7};

TEST(RankEnvironment, Variables_ofAnotherRun_areReplaced) {
  const auto variables = rank_environment(
      {"HOME=/h", "RONDO_RANK=9", "RONDO_STORE_FD=4", "RONDO_LOG=debug", "EMPTY="}, kWorld, 2);
  EXPECT_THAT(variables, Contains("HOME=/h"));
  EXPECT_THAT(variables, Contains("EMPTY="));
  EXPECT_THAT(variables, Contains("RONDO_LOG=debug"));
  EXPECT_THAT(variables, Contains("RONDO_RANK=2"));
  EXPECT_THAT(variables, Contains("RONDO_WORLD=3"));
  EXPECT_THAT(variables, Contains("RONDO_JOB=0000000000000abc"));
  EXPECT_THAT(variables, Contains("RONDO_STORE=127.0.0.1:9"));
  EXPECT_THAT(variables, Not(Contains("RONDO_RANK=9")));
  EXPECT_THAT(variables, Not(Contains(HasSubstr("RONDO_STORE_FD"))));
}

TEST(RankEnvironment, StoreSocket_isRank0s) {
  EXPECT_THAT(rank_environment({}, kWorld, 0), Contains("RONDO_STORE_FD=7"));
}

}  // namespace
}  // namespace rondo::tool
