#pragma once

// The startup program's op for an Initializer.

#include "rondo/nn/initializer.h"
#include "rondo/nn/program.h"

namespace rondo::nn {

/// `dims` are the parameter's: Xavier's bounds depend on them (fan in is axis 0, fan out axis 1).
Op initializer_op(const Initializer& initializer, const Dims& dims);

}  // namespace rondo::nn
