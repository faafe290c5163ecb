#pragma once

// A batch's way to several places and back: along axis 0, in equal parts as far as possible.

#include <vector>

#include "core/status.h"
#include "rondo/nn/executor.h"

namespace rondo::nn {

/// Samples in a feed: axis 0 of the variables whose program leaves it open (-1). 1 where there is
/// none. InvalidArgument where variables differ.
Result<std::int64_t> samples_in(const Block& block, const Feed& feed);

/// One feed for each place, borrowing the memory of `feed`. Place p of n has the samples from
/// p*samples/n on, so earlier places have the smaller parts. Variables without open axis 0 go
/// to every place whole.
/// InvalidArgument where there are fewer samples than places; Unsupported for sequences.
Result<std::vector<Feed>> split_feed(const Block& block, const Feed& feed, std::size_t places);

/// The places' tensors one after the other along axis 0.
Tensor concatenate(const std::vector<Tensor>& parts);

}  // namespace rondo::nn
