#include "transport/mesh/pair_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

using ::testing::HasSubstr;

const RankInfo kHere{.process = 0, .pid = 10, .hostname = "a", .host_identity = "boot-1"};
const RankInfo kNeighbour{.process = 1, .pid = 11, .hostname = "a", .host_identity = "boot-1"};
const RankInfo kElsewhere{.process = 2, .pid = 10, .hostname = "b", .host_identity = "boot-2"};

TransportKind kind_of(const RankInfo& a, const RankInfo& b, std::string_view forced) {
  return *pair_kind(0, a, 1, b, forced);
}

TEST(PairKind, Auto_TakesTheNearest) {
  EXPECT_EQ(kind_of(kHere, kHere, "auto"), TransportKind::kInproc);
  EXPECT_EQ(kind_of(kHere, kNeighbour, "auto"), TransportKind::kShm);
  EXPECT_EQ(kind_of(kHere, kElsewhere, "auto"), TransportKind::kTcp);
}

TEST(PairKind, Forced_IsTakenWhereItCanJoinTheTwo) {
  EXPECT_EQ(kind_of(kHere, kHere, "shm"), TransportKind::kShm);
  EXPECT_EQ(kind_of(kHere, kHere, "tcp"), TransportKind::kTcp);
  EXPECT_EQ(kind_of(kHere, kNeighbour, "tcp"), TransportKind::kTcp);
}

TEST(PairKind, Forced_NamesThePairItCannotJoin) {
  const auto inproc = pair_kind(3, kHere, 7, kNeighbour, "inproc");
  ASSERT_FALSE(inproc.ok());
  EXPECT_EQ(inproc.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(inproc.status().message(), HasSubstr("rank 3 (process 0, pid 10 on a)"));
  EXPECT_THAT(inproc.status().message(), HasSubstr("rank 7 (process 1, pid 11 on a)"));
  const auto shm = pair_kind(3, kHere, 7, kElsewhere, "shm");
  ASSERT_FALSE(shm.ok());
  EXPECT_THAT(shm.status().message(), HasSubstr("don't share a host"));
}

}  // namespace
}  // namespace rondo::transport
