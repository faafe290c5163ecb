#pragma once

// Where a fused schedule rounds its values to a wire format, so that every rank ends with the same
// bits whichever pairs encode their messages.
//
// What a sweep computes, or takes over from the input, is rounded where it is stored. So a message
// from memory other than the input holds rounded values already: encoded or not, its receiver sees
// the same, and keeps what its sender keeps. A message straight from the input is rounded by its
// encoding alone, where it is encoded; that is right as long as nobody else uses that part of the
// input (reads_input_once).
// The result of a reduce-scatter goes nowhere and is left as it is.
// Pure. Threads: any.

#include <span>

#include "collectives/schedule/fused_schedule.h"

namespace rondo::execute {

/// What the sweep stores is to be rounded.
bool rounds_result(const schedule::FusedSchedule& schedule, const schedule::Sweep& sweep);

/// Of a sweep that rounds its result: it is sent in one message and stored once, where nobody reads
/// it; so the encoding of that message can round it. (On a ring, all that is reduced.)
bool rounds_as_sent(const schedule::FusedSchedule& schedule, const schedule::Sweep& sweep);

/// The sweep sends its input as it is.
bool sends_input(const schedule::FusedSchedule& schedule, const schedule::Sweep& sweep);

/// Each row of the input that is sent or copied, and so rounded, is used for nothing else, and goes
/// to one peer unless it is copied. Of an algorithm that isn't so (one_shot, whose ranks use the
/// input that they send) no message may be encoded.
bool reads_input_once(const schedule::FusedSchedule& schedule);

}  // namespace rondo::execute
