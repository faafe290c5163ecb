#include "collectives/verify/going_first.h"

#include <algorithm>

namespace rondo::verify {
namespace {

using Accesses = SmallWorld::Accesses;

bool meet(const std::vector<CellId>& some, const std::vector<CellId>& others) {
  return std::any_of(some.begin(), some.end(), [&](CellId id) {
    return std::find(others.begin(), others.end(), id) != others.end();
  });
}

bool conflict(const Accesses& own, const Accesses& theirs) {
  return meet(own.writes, theirs.writes) || meet(own.writes, theirs.reads) ||
         meet(own.reads, theirs.writes);
}

}  // namespace

bool may_go_first(const SmallWorld& world, const SmallWorld::State& state, LaneId lane) {
  const Accesses own = world.accesses(state, lane);
  if (own.reads.empty() && own.writes.empty()) return true;
  SmallWorld::State ahead = state;
  for (bool moved = true; moved;) {
    moved = false;
    for (LaneId other = 0; other < world.lanes(); ++other) {
      while (other != lane && world.is_ready(ahead, other)) {
        if (conflict(own, world.accesses(ahead, other))) return false;
        if (!world.step(ahead, other)) return false;
        moved = true;
      }
    }
  }
  return true;
}

}  // namespace rondo::verify
