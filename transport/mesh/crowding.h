#pragma once

// How many ranks share a core. Hosts that are containers of one machine share its cores; ranks that
// are bound to cores of their own share none with the others; the rest are given homes. Control
// groups' quotas aren't known of other ranks. Pure.

#include <span>

#include "core/home_core.h"

namespace rondo::transport {

struct RankInfo;

/// Ranks to each core that one of them at least may run on.
struct Crowding {
  double here = 0;  ///< where this rank runs
  double most = 0;  ///< where that is most: the same on every rank
  /// Among the ranks that may run on the same cores as this one, of whichever host of the machine.
  /// Of none where other masks take part of those.
  HomeShare home{};
};

/// `own`: this rank. Cost: by ranks and cores, milliseconds for thousands of both.
Crowding crowding_of(std::span<const RankInfo> ranks, int own);

}  // namespace rondo::transport
