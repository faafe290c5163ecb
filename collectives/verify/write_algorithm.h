#pragma once

// A built-in algorithm's schedules as the file of a written one: to begin with.

#include <cstddef>
#include <string>

#include "collectives/algorithms/registry.h"
#include "core/status.h"

namespace rondo::verify {

/// `request`: its collective, world, root and layout count. `count`: elements that the rows share
/// out. Errors: InvalidArgument: more than such a file may hold.
Result<std::string> write_algorithm(const algorithms::Algorithm& algorithm,
                                    schedule::Request request, std::size_t count);

}  // namespace rondo::verify
