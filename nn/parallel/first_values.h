#pragma once

// How every rank comes to start with the same program and the same values.
// Threads: the place's. Throws what the communicator throws.

#include "rondo/communicator.h"
#include "rondo/nn/executor.h"

namespace rondo::nn {

/// Mismatch (on every rank) where ranks have different programs; InvalidArgument (on every rank)
/// where rank 0's scope lacks a value of a persistable variable.
void agree_on_program(const Program& program, const Scope& scope, Communicator& communicator);

/// Gives the scope rank 0's value of every persistable variable, creating what is missing.
void broadcast_persistables(const Program& program, Scope& scope, Communicator& communicator);

}  // namespace rondo::nn
