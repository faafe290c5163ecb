#pragma once

// A reduction as launches of the reduce kernel, which takes so many pointers and no more: with the
// bits of a single one.
//
// Targets can always wait: the first ones are stored by the last reduction, the others are copies.
// Sources are combined a part at a time, what there is so far being stored to a target, where its
// type holds what a thread keeps in registers: not the sum of 16-bit floats, which is rounded once.
// That target must not be a source that is still to come. So a reduction of which every target may
// be one, and whose sources' order matters, isn't split either.

#include <cstddef>
#include <functional>

#include "collectives/kernels/reduce.h"
#include "core/status.h"
#include "rondo/types.h"

namespace rondo::kernels::cuda {

/// Whether a reduction of so many sources to so many targets can be launched wherever they lie.
bool always_launches(DataType type, ReduceOp op, std::size_t sources, std::size_t targets);

using ReduceLaunch = std::function<Status(const ReduceArguments&)>;

/// In the order in which they have to be made. Errors: Unsupported, with nothing launched; those of
/// `launch`.
Status launch_in_parts(DataType type, ReduceOp op, const ReduceArguments& arguments,
                       const ReduceLaunch& launch);

}  // namespace rondo::kernels::cuda
