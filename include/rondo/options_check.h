#pragma once

#include "rondo/communicator.h"
#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// Whether a place on `device` could join a world with these options, as far as this process can
/// tell alone: what Communicator::create refuses before it looks for the others, and where it is
/// known how many `ranks` there will be (0: it isn't), what it refuses for their number. For
/// programs that have to tell the other processes before they wait for this one.
/// Errors: as Communicator::create. Threads: any.
RONDO_API void check_options(const CommunicatorOptions& options, Device device = Device::host(),
                             int ranks = 0);

}  // namespace v1
}  // namespace rondo
