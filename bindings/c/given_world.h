#pragma once

// The world of C's questions about plans.

#include "rondo/plan.h"

namespace rondo::c {

/// One host, and two ranks of each, is in C++ what a question says that says nothing, which a
/// network overrules. In C either is said: a network beside it has to be of that world, and the
/// question then leaves the world to the network (0 and 0). (What else is said besides a network
/// is held to it by whoever answers.) Errors: rondo::Error (InvalidArgument).
void check_given_world(PlanQuestion& question);

}  // namespace rondo::c
