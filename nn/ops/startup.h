#pragma once

// A persistable variable and the op that gives it its first value: the variable goes into both
// default programs, the op into the startup program. Parameters and optimiser state are made here.

#include "core/status.h"
#include "rondo/nn/program.h"

namespace rondo::nn {

/// Sets `init`'s output "Out", "dtype" and "dims" from `desc`. A startup program that sets the
/// variable already (two programs that share parameters by name) is left as it is.
Result<Var> create_persistable(VarDesc desc, Op init);

/// The op that fills with one number.
Op fill_with(double value);

}  // namespace rondo::nn
