#pragma once

// An all-reduce of the user's own whose lanes wait for each other. Rank 0 adds in its first lane
// and sends from its second; the others send from where they receive, once that has been read.

#include <string>

#include "rondo/schedule_builder.h"

namespace rondo::testing {

inline std::string waiting_schedule(int ranks) {
  ScheduleBuilder builder("star_of_two_lanes", Collective::kAllReduce, ranks, 1);
  const auto input = ScheduleBuilder::in(0);
  const auto output = ScheduleBuilder::out(0);
  std::uint32_t added = 0;
  for (int peer = 1; peer < ranks; ++peer)
    added = builder.recv_reduce(0, peer, peer == 1 ? input : output, output, peer == ranks - 1);
  builder.wait(0, 0, added, 1);
  for (int peer = 1; peer < ranks; ++peer) {
    builder.send(0, peer, output, 1);
    const auto given = builder.scratch(peer, 0);
    builder.copy(peer, input, given);
    builder.wait(peer, 0, builder.send(peer, 0, given), 1);
    builder.recv(peer, 0, given, 1);
    builder.copy(peer, given, output, 1);
  }
  return builder.build();
}

}  // namespace rondo::testing
