#include "collectives/communicator/tuning_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <vector>

namespace rondo::communicator {
namespace {

using transport::RankInfo;

const std::vector<RankInfo> kTwoHosts = {{.hostname = "a", .cores = {0, 1}},
                                         {.hostname = "a", .cores = {0, 1}},
                                         {.hostname = "b", .cores = {0, 1}}};

std::string path_of(std::string_view transport, const std::vector<RankInfo>& ranks,
                    std::size_t segment_bytes = 0) {
  const auto path = cached_tuning_path(transport, ranks, segment_bytes);
  return path.ok() ? *path : path.status().message();
}

class TuningCache : public testing::Test {
 protected:
  TuningCache() {
    for (const char* variable : {"RONDO_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
      const char* const was = std::getenv(variable);
      before_.emplace_back(variable, was == nullptr ? "" : was);
      ::unsetenv(variable);
    }
  }
  ~TuningCache() override {
    for (const auto& [variable, was] : before_)
      was.empty() ? ::unsetenv(variable) : ::setenv(variable, was.c_str(), 1);
  }

 private:
  std::vector<std::pair<const char*, std::string>> before_;
};

TEST_F(TuningCache, EachSetOfHosts_HasAFileOfItsOwn) {
  ::setenv("HOME", "/some/home", 1);
  std::set<std::string> paths = {path_of("shm", kTwoHosts), path_of("tcp", kTwoHosts)};
  std::vector<RankInfo> others = kTwoHosts;
  others[2].hostname = "c";
  paths.insert(path_of("tcp", others));
  others[2] = kTwoHosts[2];
  others[2].cores = {0, 1, 2};
  paths.insert(path_of("tcp", others));
  others = kTwoHosts;
  std::swap(others[1], others[2]);  // another host's rank is the second one
  paths.insert(path_of("tcp", others));
  others = kTwoHosts;
  others.pop_back();
  paths.insert(path_of("tcp", others));
  paths.insert(path_of("tcp", kTwoHosts, 4096));
  others = kTwoHosts;
  for (RankInfo& rank : others) rank.cores = {0};
  paths.insert(path_of("tcp", others));
  for (std::size_t rank = 0; rank < others.size(); ++rank)
    others[rank].cores = {static_cast<int>(rank)};
  paths.insert(path_of("tcp", others));  // a core of its own for each, not one for all
  EXPECT_EQ(paths.size(), 9U);
}

TEST_F(TuningCache, TheSameHosts_ShareOne_WhateverProcessTheyAre) {
  ::setenv("HOME", "/some/home", 1);
  std::vector<RankInfo> again = kTwoHosts;
  for (RankInfo& rank : again) {
    rank.pid += 100;
    rank.host_identity = "booted anew";
    for (int& core : rank.cores) core += 8;
  }
  EXPECT_EQ(path_of("tcp", again), path_of("tcp", kTwoHosts));
}

TEST_F(TuningCache, LiesInTheFirstFolderThatIsNamed) {
  EXPECT_EQ(path_of("tcp", kTwoHosts),
            "the folder of caches is named by RONDO_CACHE_DIR, XDG_CACHE_HOME or HOME, and none of "
            "them is set");
  ::setenv("HOME", "/some/home", 1);
  EXPECT_TRUE(path_of("tcp", kTwoHosts).starts_with("/some/home/.cache/rondo/tuning"));
  ::setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_TRUE(path_of("tcp", kTwoHosts).starts_with("/caches/rondo/tuning"));
  ::setenv("RONDO_CACHE_DIR", "/here", 1);
  EXPECT_TRUE(path_of("tcp", kTwoHosts).starts_with("/here/tuning"));
}

}  // namespace
}  // namespace rondo::communicator
