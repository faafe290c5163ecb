#pragma once

// Whether peers of a host get private memory faster by reading it out of the sender's process than
// by shared slots, and from which size on: it depends on the kernel, its mitigations and the
// caches, and so it is measured. Threads: the place's.

#include <cstddef>
#include <span>

#include "collectives/communicator/engine.h"
#include "core/status.h"

namespace rondo::communicator {

/// All-reduces that move pieces of so many bytes, in either way.
struct PrivateReadTimes {
  std::size_t piece = 0;
  double by_slots_us = 0;
  double by_reads_us = 0;
};

/// The least piece of which, and of all longer ones, reads take at least a twentieth less; 0 where
/// there is none.
std::size_t first_faster_piece(std::span<const PrivateReadTimes> times);

/// first_faster_piece of direct all-reduces of 128 KiB to 32 MiB, whose ranks send each other a row
/// each; 0 where no rank's memory may be read by another. The same on all ranks. From then on the
/// place goes by it, or by the option where that isn't 0. A collective call. Errors: as a
/// collective call.
Result<std::size_t> measure_private_reads(Engine& engine);

}  // namespace rondo::communicator
