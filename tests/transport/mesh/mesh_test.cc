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
