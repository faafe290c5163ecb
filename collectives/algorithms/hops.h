#pragma once

// Whom ranks talk to in algorithms whose steps are hops over distances that are powers of two
// (dissemination, Bruck's, aggregated trees), and where it leads to hop several times.
//
// Round the ring of all ranks, a hop leads to the rank so much further on. In worlds of a power of
// two up to kMostPaired it leads to the rank whose number differs in that bit. Then two ranks hop
// to each other, and messages take along the acknowledgements of those before, for which
// connections in one direction need packets of their own: eight hosts on two cores, a fifth of a
// barrier's time. Hosts of as many ranks keep short hops inside, too. In larger worlds ranks are
// turns of each other, one of which is planned for all (schedule/fold.h): pairs aren't. Source of
// the pairs: E. Brooks, "The butterfly barrier", IJPP 15 (1986).

#include <bit>

#include "collectives/schedule/op.h"

namespace rondo::algorithms {

inline constexpr int kMostPaired = 64;

inline bool hops_pair(int world) {
  return world <= kMostPaired && std::has_single_bit(static_cast<unsigned>(world));
}

/// Where hops lead to whose distances add up to `distance`, no two of them equal, and where they
/// come from; 0 <= distance < world.
inline schedule::Rank hop_to(schedule::Rank rank, int distance, int world) {
  return hops_pair(world) ? rank ^ distance : (rank + distance) % world;
}
inline schedule::Rank hop_from(schedule::Rank rank, int distance, int world) {
  return hops_pair(world) ? rank ^ distance : (rank + world - distance) % world;
}

}  // namespace rondo::algorithms
