#pragma once

// What can be seen wrong in a world of schedules without running it: ranks that disagree about the
// request, slices and peers that don't exist, rows of different sizes joined in one sweep.

#include <span>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rotation.h"
#include "core/status.h"

namespace rondo::verify {

/// Errors: InvalidArgument, naming rank and sweep.
Status check_shape(std::span<const schedule::FusedSchedule> world);
/// The same of a world with a rotation; its bases stand for all.
Status check_shape(std::span<const schedule::FusedSchedule> bases,
                   const schedule::Rotation& rotation);

}  // namespace rondo::verify
