#pragma once

// The fusing pass: joins neighbouring ops into sweeps (join.h), then marks the messages that may be
// stored straight into their receiver's memory (direct_stores.h). If the fused world could not run
// to its end with kMessagesPerChannel in each channel, the unfused one is given instead. The
// verifier checks what comes out as it checks everything else. Pure: the result depends on the
// schedules alone. Threads: any.

#include <span>
#include <vector>

#include "collectives/schedule/fold.h"
#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rank_schedule.h"

namespace rondo::schedule {

/// The whole world, fused. Valid in place and out of place.
std::vector<FusedSchedule> fuse_world(std::span<const RankSchedule> world);

/// The same, folded where it can be; `build(r)` gives the schedule of rank r. Costs as
/// much as fusing the whole world, or, where that has a rotation, as building (or joining) its ops
/// and fusing one rank's; it may then mark direct stores in larger worlds than fuse_world does.
FoldedWorld fuse_folded(const BuildSchedule& build);
/// Each op as a sweep of its own.
FoldedWorld lower_folded(const BuildSchedule& build);

}  // namespace rondo::schedule
