#pragma once

// The type of an op that makes a tensor from nothing, from its attributes "dtype" and "dims".

#include "nn/ops/type_context.h"

namespace rondo::nn {

Status infer_filled(TypeContext& context);

}  // namespace rondo::nn
