#pragma once

// Messages of a device's memory that is said to be the host's: the host would fault at it.

#include <gmock/gmock.h>

#include <string>

#include "rondo/device.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {

/// Refused on both ranks of `world`, on places of whatever kind, and harming nothing.
inline void expect_hidden_messages_are_refused(const World& world, Device device) {
  using ::testing::AllOf;
  using ::testing::Each;
  using ::testing::HasSubstr;
  auto ranks = make_world(world);
  const DeviceMemory memory(device, 64);
  const Buffer hidden{memory.data(), 4, DataType::kF32, Device::host()};
  for (const bool sends : {true, false}) {
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      const int peer = 1 - rank.rank();
      rank.start(sends ? Call::send(hidden, peer) : Call::receive(hidden, peer)).wait();
    });
    EXPECT_THAT(errors, Each(AllOf(HasSubstr("InvalidArgument"), HasSubstr("copy it to the host"),
                                   HasSubstr(sends ? "send: data" : "receive: data"),
                                   HasSubstr(std::string("kind ") + to_string(device.kind)))));
  }
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    const float own = 0.5F + static_cast<float>(rank.rank());
    float theirs = 0;
    Work sent = rank.start(Call::send({&own, 1}, 1 - rank.rank()));
    rank.receive({&theirs, 1}, 1 - rank.rank());
    sent.wait();
    EXPECT_EQ(theirs, 2 - own);
  });
  EXPECT_THAT(errors, Each(""));
}

}  // namespace rondo::testing
