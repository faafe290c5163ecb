#pragma once

// The world of C's questions about plans.

#include "rondo/plan.h"

namespace rondo::c {

/// One host of two ranks is in C++ what a question says that says nothing, which a network
/// overrules. In C it is said: a network beside it has to be of that world. (What else is said
/// besides a network is held to it by whoever answers.) Errors: rondo::Error (InvalidArgument).
void check_given_world(const PlanQuestion& question);

}  // namespace rondo::c
