#pragma once

// Marks messages whose sender may store straight into the receiver's memory.
//
// A target channel becomes `direct` where
// - the receiver's matching sweep only receives, into one slice of output or scratch;
// - the receiver has entered the call before the sending sweep runs, in every order;
// - every other access of that memory at the receiver comes before the sending sweep or after the
//   receive, in every order; and a message that is sent from that memory is consumed before the
//   sending sweep, or by the sending sweep itself, element by element.
// Input and output count as one memory, so that the marks hold in place too.

#include <span>

#include "collectives/schedule/causality.h"
#include "collectives/schedule/fused_schedule.h"

namespace rondo::schedule {

/// Does nothing where `causality` (of these very bases) has no clocks, or the rows are empty.
void mark_direct_stores(std::span<FusedSchedule> bases, const Causality& causality);

}  // namespace rondo::schedule
