#pragma once

// The verdict on a schedule that somebody has written: what the built-in algorithms are held to, of
// its one world, plain and fused.

#include <cstdint>
#include <string_view>

#include "collectives/schedule/rotation.h"
#include "collectives/schedule/schedule_file.h"
#include "core/status.h"

namespace rondo::verify {

struct WrittenVerdict {
  schedule::FoldedWorld fused;  ///< what would run
  std::uint64_t sweeps = 0;     ///< of it, all ranks
  std::uint64_t direct_stores = 0;
  std::uint32_t least_credits = 1;
};

/// `file` begins messages, as those of schedule::parse_schedule.
/// Errors: InvalidArgument: the rank, step and row at fault, and what the right contents would be.
Result<WrittenVerdict> verify_written(const schedule::WrittenSchedule& written,
                                      std::string_view file);

}  // namespace rondo::verify
