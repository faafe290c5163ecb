#pragma once

// Appending an op to a block with its types inferred: outputs that the block doesn't have yet
// become variables. Layers, backward and optimisers build programs through this.

#include "nn/ops/op_registry.h"

namespace rondo::nn {

Status append_op(Block& block, Op op);

/// The names in the definition's slots, in its order; InvalidArgument where the op leaves out an
/// input, has a slot that its definition doesn't have, or several variables in a slot for one.
Result<std::vector<std::vector<std::string>>> ordered_names(const std::vector<SlotDef>& defs,
                                                            const Op::Slots& slots, const Op& op,
                                                            bool may_lack);

}  // namespace rondo::nn
