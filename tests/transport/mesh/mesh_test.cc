#include "transport/mesh/mesh.h"

#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

Mesh mesh_of(std::vector<RankInfo> ranks) {
  const int world = static_cast<int>(ranks.size());
  return Mesh({.rank = 0, .world = world}, std::move(ranks), {});
}

// Launchers bind ranks to cores of their own: each of them may use one, and yet all have a spare
// one.
TEST(Mesh, RanksBoundToCoresOfTheirOwn_HaveAsManyCoresAsRanks) {
  const Mesh mesh = mesh_of({{.host_identity = "a", .cores = {0}},
                             {.host_identity = "a", .cores = {1}},
                             {.host_identity = "b", .cores = {2, 3}}});
  EXPECT_EQ(mesh.core_use_here(), (CoreUse{2, 2}));
  EXPECT_EQ(mesh.crowding().most, 1);
  EXPECT_EQ(mesh.hosts(), (std::vector<int>{0, 0, 2}));
}

TEST(Mesh, RanksBoundToOneCore_ShareIt) {
  const Mesh mesh = mesh_of({{.host_identity = "a", .cores = {1}},
                             {.host_identity = "a", .cores = {1}},
                             {.host_identity = "a", .cores = {1}}});
  EXPECT_EQ(mesh.core_use_here(), (CoreUse{3, 1}));
  EXPECT_EQ(mesh.crowding().most, 3);
}

TEST(Mesh, RanksThatMayRunAnywhere_ShareAllCores) {
  const Mesh mesh =
      mesh_of({{.host_identity = "a", .cores = {0, 1}}, {.host_identity = "a", .cores = {0, 1}}});
  EXPECT_EQ(mesh.core_use_here(), (CoreUse{2, 2}));
}

TEST(Mesh, ContainersOfOneMachine_ShareItsCores) {
  const Mesh mesh = mesh_of({{.host_identity = "a/1", .cores = {0, 1}},
                             {.host_identity = "a/2", .cores = {0, 1}},
                             {.host_identity = "a/3", .cores = {0, 1}},
                             {.host_identity = "b/1", .cores = {0, 1, 2}}});
  EXPECT_EQ(mesh.core_use_here(), (CoreUse{1, 2}));
  EXPECT_EQ(mesh.crowding().here, 1.5);
  EXPECT_EQ(mesh.crowding().most, 1.5);
}

TEST(Mesh, RanksThatMayRunOnOtherCores_DontCrowdThoseOfOthers) {
  const Mesh mesh = mesh_of({{.host_identity = "a/1", .cores = {0, 1}},
                             {.host_identity = "a/1", .cores = {1, 0}},
                             {.host_identity = "a/2", .cores = {2}},
                             {.host_identity = "a/2", .cores = {2}},
                             {.host_identity = "a/2", .cores = {2}},
                             {.host_identity = "b/1", .cores = {}}});
  EXPECT_EQ(mesh.crowding().here, 1);
  EXPECT_EQ(mesh.crowding().most, 3);
}

TEST(Mesh, MasksThatOverlap_AreOneSetOfCores) {
  const Mesh mesh = mesh_of({{.host_identity = "a/1", .cores = {0}},
                             {.host_identity = "a/1", .cores = {2, 1}},
                             {.host_identity = "a/1", .cores = {1, 0}},
                             {.host_identity = "a/1", .cores = {2}}});
  EXPECT_EQ(mesh.crowding().here, 4.0 / 3);
}

HomeShare home_of(int rank, const std::vector<RankInfo>& ranks) {
  const int world = static_cast<int>(ranks.size());
  return Mesh({.job = 7, .rank = rank, .world = world}, ranks, {}).crowding().home;
}

TEST(Mesh, RanksThatMayRunOnTheSameCores_HaveHomesOfTheirOwn) {
  const std::vector<RankInfo> ranks = {{.host_identity = "a/1", .cores = {0, 1, 2, 3, 5}},
                                       {.host_identity = "b/1", .cores = {0, 1}},
                                       {.host_identity = "a/2", .cores = {0, 1, 2, 3, 5}},
                                       {.host_identity = "b/1", .cores = {0, 1}}};
  EXPECT_EQ(home_of(2, ranks).index, 1U) << "another container's, of the same machine";
  EXPECT_EQ(home_of(2, ranks).of, 2U);
  EXPECT_EQ(home_of(2, ranks).shift, 7U);
  EXPECT_EQ(home_of(1, ranks).index, 0U);
  EXPECT_EQ(home_of(3, ranks).index, 1U);
}

TEST(Mesh, RanksOfWhichSomeAreBound_HaveNoHomes) {
  const RankInfo anywhere{.host_identity = "a", .cores = {0, 1}};
  const RankInfo bound{.host_identity = "a", .cores = {1}};
  EXPECT_EQ(home_of(0, {anywhere, bound}).of, 0U);
  EXPECT_EQ(home_of(1, {anywhere, bound}).of, 0U);
}

TEST(Mesh, PartOfAWorld_HasItsHomes) {
  MeshMeans means;
  means.crowding = {.here = 1, .most = 1, .home = {.index = 3, .of = 4, .shift = 5}};
  const RankInfo anywhere{.host_identity = "a", .cores = {0, 1, 2, 3}};
  const Mesh mesh({.rank = 0, .world = 2}, {anywhere, anywhere}, {}, means);
  EXPECT_EQ(mesh.crowding().home.index, 3U);
  EXPECT_EQ(mesh.crowding().home.of, 4U);
  EXPECT_EQ(mesh.crowding().home.shift, 5U);
}

TEST(Mesh, PartOfAWorld_IsAsCrowdedAsThat) {
  MeshMeans means;
  means.crowding = {.here = 2, .most = 4};
  const Mesh mesh({.rank = 0, .world = 2},
                  {{.host_identity = "a", .cores = {0}}, {.host_identity = "a", .cores = {1}}}, {},
                  means);
  EXPECT_EQ(mesh.crowding().here, 2);
  EXPECT_EQ(mesh.crowding().most, 4);
}

}  // namespace
}  // namespace rondo::transport
