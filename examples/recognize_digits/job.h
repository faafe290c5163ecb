#pragma once

// The whole job of one process: load, train, judge.

#include "examples/recognize_digits/options.h"
#include "examples/recognize_digits/world.h"

namespace rondo::examples {

/// The exit code: 0, 1 (failure) or 2 (usage). Whatever all ranks find wrong alike, one of them
/// says, in one line on stderr.
int run_job(const Options& options, World& world);

}  // namespace rondo::examples
