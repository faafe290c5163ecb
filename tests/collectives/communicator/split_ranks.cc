// A rank that can't connect, for it has too few descriptors: the split fails on all ranks, with
// that rank's own reason, and the communicator that was split stays usable; also where the others
// wait for the join for longer than a call may take. To be started by a launcher, three processes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "rondo/communicator.h"
#include "rondo/error.h"
#include "tests/transport/shm/descriptor_limit.h"

namespace rondo::testing {
namespace {

using ::testing::HasSubstr;

/// From where it can't listen to where it can do all: what a split takes of shared memory.
constexpr int kLeastRoom = 0;
constexpr int kMostRoom = 14;

TEST(SplitOfProcesses, WhereOneHasTooFewDescriptors_FailsForThatReasonEverywhere) {
  Communicator all = Communicator::create();
  int failed = 0;
  for (int room = kLeastRoom; room <= kMostRoom; ++room) {
    std::optional<Error> error;
    {
      std::optional<transport::DescriptorLimit> limit;
      if (all.rank() == 1) limit.emplace(room);
      try {
        const auto some = all.split(0);
      } catch (const Error& thrown) {
        error = thrown;
      }
    }
    double sum = all.rank() + 0.5;
    all.all_reduce({&sum, 1});
    ASSERT_EQ(sum, 4.5) << "with room for " << room;
    if (!error.has_value()) continue;
    ++failed;
    EXPECT_EQ(error->code(), ErrorCode::kSystem) << error->what();
    EXPECT_EQ(error->culprit(), 1) << error->what();
    EXPECT_THAT(error->what(), HasSubstr("split: rank 1 can't"));
    EXPECT_THAT(error->what(), HasSubstr("descriptors"));
  }
  EXPECT_GE(failed, 3);
  if (!HasFailure()) std::printf("split done: rank %d\n", all.rank());
}

}  // namespace
}  // namespace rondo::testing
