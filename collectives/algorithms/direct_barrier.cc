// Direct barrier: messages of no bytes, all at once.
//
// Every rank tells every other that it has come, and waits to hear from every other.
//
// Where ranks share a core, what costs is not the messages but the turns: a rank that waits for one
// message before it may send the next needs a turn of its core for each. Here it needs one to tell
// and one to hear, whatever the world.
//
// Cost: alpha; (p-1) messages sent and received by each rank.
// Source: folklore, the all-to-all barrier.

#include "collectives/algorithms/direct_barrier.h"

#include <utility>

#include "collectives/algorithms/direct_all_reduce.h"

namespace rondo::algorithms {

using schedule::BufferRole;

schedule::RankSchedule direct_barrier(const schedule::Request& request) {
  schedule::Builder builder(request);
  for (int index = 0; index < request.world - 1; ++index) {
    builder.send(direct_peer(request.rank, index, request.world), {BufferRole::kInput, 0});
  }
  for (int index = 0; index < request.world - 1; ++index) {
    builder.recv(direct_peer(request.rank, index, request.world), {BufferRole::kOutput, 0});
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
