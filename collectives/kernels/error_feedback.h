#pragma once

// Rounding to a wire format with what it loses kept for the next time: `residual` is added before
// the rounding, and what the rounding loses is stored there. Summed over many calls the losses
// then cancel, but for the last one. Null: nothing is kept. A loss that isn't a finite number (of
// an infinity or a NaN) is forgotten. Source: F. Seide et al., "1-bit stochastic gradient descent
// and its application to data-parallel distributed training of speech DNNs", Interspeech 2014.
// Threads: any. Nothing is allocated.

#include <cstddef>

#include "collectives/kernels/wire_format.h"

namespace rondo::kernels {

/// Gives `values` the bits that a receiver would decode.
void round_to_wire(const WireCodec& codec, std::size_t count, float* values, float* residual);

/// Encodes `source`.
void encode_to_wire(const WireCodec& codec, const float* source, std::size_t count, float* residual,
                    std::byte* target);

/// Both: encodes `values`, and gives them the bits that a receiver decodes.
void encode_and_round(const WireCodec& codec, float* values, std::size_t count, float* residual,
                      std::byte* target);

}  // namespace rondo::kernels
