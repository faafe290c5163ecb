#pragma once

// Schedules as the file of a written one; a built-in algorithm's, to begin with.

#include <cstddef>
#include <string>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/schedule_file.h"
#include "core/status.h"

namespace rondo::verify {

/// Errors: InvalidArgument: it takes more than such a file may hold.
Result<std::string> write_schedule(const schedule::WrittenSchedule& written);

/// `request`: its collective, world, root and layout count. `count`: elements that the rows share
/// out. Errors: InvalidArgument: more than such a file may hold.
Result<std::string> write_algorithm(const algorithms::Algorithm& algorithm,
                                    schedule::Request request, std::size_t count);

}  // namespace rondo::verify
