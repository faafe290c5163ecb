#include "collectives/verify/layout_family.h"

#include <gtest/gtest.h>

#include "collectives/schedule/fuse.h"
#include "collectives/verify/coverage.h"

namespace rondo::verify {
namespace {

TEST(LayoutFamily, WorldsAbove128_AreEqualHostsWhereTheyCanBe) {
  const auto layout = layout_family(360).front();
  EXPECT_EQ(layout->hosts(), 72);
  EXPECT_EQ(layout->most_ranks(), 5);
  for (const int world : {127, 131, 343}) {
    const auto hosts_of_8 = layout_family(world).front();
    EXPECT_EQ(hosts_of_8->hosts(), (world + 7) / 8);
    EXPECT_EQ(hosts_of_8->most_ranks(), 8);
  }
}

TEST(LayoutFamily, EqualHosts_AreProvedAtTheCostOfOneRank) {
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    if (algorithm.uses_layout != algorithms::LayoutUse::kHosts ||
        schedule::has_root(algorithm.collective))
      continue;
    for (const int world : {130, 168}) {
      schedule::Request request{.collective = algorithm.collective, .world = world};
      request.layout = layout_family(world).front();
      request.rows = algorithm.rows(request, 1);
      const auto folded = schedule::fuse_folded(builder_of(algorithm, request));
      EXPECT_EQ(folded.rotation.order(), world)
          << to_string(algorithm.collective) << " " << algorithm.name;
    }
  }
}

}  // namespace
}  // namespace rondo::verify
