#include "collectives/verify/waiting_probe.h"

#include <utility>
#include <vector>

namespace rondo::verify {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

schedule::RankSchedule waiting_probe(const schedule::Request& request) {
  schedule::Builder builder(request);
  const Slice input{BufferRole::kInput, 0};
  std::vector<Slice> contributions(static_cast<std::size_t>(request.world), input);
  std::uint32_t sends = 0;
  std::uint32_t ops = 0;
  for (Rank peer = 0; peer < request.world; ++peer) {
    if (peer == request.rank) continue;
    builder.send(peer, input);
    ++sends;
  }
  ops = sends;
  for (Rank peer = 0; peer < request.world; ++peer) {
    if (peer == request.rank) continue;
    contributions[static_cast<std::size_t>(peer)] = builder.scratch(0);
    builder.recv(peer, contributions[static_cast<std::size_t>(peer)]);
    builder.wait(0, ops++, 1);
  }
  Slice sum = contributions[0];
  for (std::size_t rank = 1; rank < contributions.size(); ++rank) {
    const Slice next = builder.scratch(0);
    builder.reduce(contributions[rank], sum, next, rank + 1 == contributions.size(), 1);
    sum = next;
  }
  for (std::uint32_t send = 0; send < sends; ++send) builder.wait(0, send, 1);
  builder.copy(sum, {BufferRole::kOutput, 0}, 1);
  return std::move(builder).finish();
}

}  // namespace rondo::verify
