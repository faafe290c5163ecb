#pragma once

// Copying a block, for `Program::clone`. For test, only forward ops stay, and of the variables
// those that a forward op uses or that persist.

#include "rondo/nn/program.h"

namespace rondo::nn {

void copy_block(const Block& source, bool for_test, Block& target);

}  // namespace rondo::nn
