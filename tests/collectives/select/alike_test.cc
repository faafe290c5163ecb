#include "collectives/select/alike.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rondo::select {
namespace {

using algorithms::Algorithm;
using schedule::Collective;

std::vector<std::string> first_of(const std::vector<std::string>& names,
                                  const schedule::HostLayout& layout) {
  std::vector<const Algorithm*> algorithms;
  for (const std::string& name : names)
    algorithms.push_back(algorithms::find(Collective::kAllReduce, name));
  std::vector<std::string> first;
  for (const Algorithm* algorithm :
       first_alike(algorithms, std::make_shared<const schedule::HostLayout>(layout)))
    first.emplace_back(algorithm->name);
  return first;
}

TEST(Alike, OnOneHost_TheRingsAreOne) {
  const schedule::HostLayout one_host(std::vector<int>{0, 0, 0, 0});
  EXPECT_THAT(first_of({"direct", "ring", "recursive_doubling", "neighbour_ring"}, one_host),
              ::testing::ElementsAre("direct", "ring", "recursive_doubling", "ring"));
}

TEST(Alike, OfTwoRanks_HierarchicalIsDirect) {
  const schedule::HostLayout one_host(std::vector<int>{0, 0});
  EXPECT_THAT(first_of({"direct", "hierarchical", "one_shot"}, one_host),
              ::testing::ElementsAre("direct", "direct", "one_shot"));
}

TEST(Alike, WhereHostsAlternate_TheRingsAreTwo) {
  const schedule::HostLayout alternating(std::vector<int>{0, 1, 0, 1});
  EXPECT_THAT(first_of({"ring", "neighbour_ring"}, alternating),
              ::testing::ElementsAre("ring", "neighbour_ring"));
}

}  // namespace
}  // namespace rondo::select
