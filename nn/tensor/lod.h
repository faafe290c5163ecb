#pragma once

// The rule that a LoD has to obey: every level has at least {0, end}, doesn't descend, and ends
// where the level below (for the last one: axis 0) ends. Pure.

#include "core/status.h"
#include "rondo/nn/tensor.h"

namespace rondo::nn {

Status check_lod(const LoD& lod, const Dims& dims);

}  // namespace rondo::nn
