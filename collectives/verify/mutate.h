#pragma once

// Small wrongs done to a right schedule on purpose, to see whether the verifier notices. Seeded:
// the same seed does the same wrong.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rank_schedule.h"

namespace rondo::verify {

enum class Mutation : std::uint8_t {
  kDropOp,
  kRepeatOp,
  kSwapOps,
  kWrongRow,
  kWrongPeer,
  kRecvForRecvReduce,  ///< and the other way round
  kWrongTarget,
  kFlipFinal,
  kDropWait,
  kAddDirect,     ///< fused: a store that was not proved
  kReorderFused,  ///< fused: sources or sweeps change places, or a target goes
};
inline constexpr int kMutationCount = 11;
const char* to_string(Mutation mutation);
constexpr bool is_of_fused(Mutation mutation) {
  return mutation == Mutation::kAddDirect || mutation == Mutation::kReorderFused;
}

using World = std::vector<schedule::RankSchedule>;
using FusedWorld = std::vector<schedule::FusedSchedule>;

/// A world that differs in one place, lowered (or fused, for the mutations of fused schedules);
/// empty where the world has no such place.
FusedWorld mutate(const World& world, Mutation mutation, std::minstd_rand& random);

}  // namespace rondo::verify
