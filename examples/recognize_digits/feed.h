#pragma once

// From examples to tensors.

#include <cstdint>
#include <span>

#include "examples/recognize_digits/model.h"
#include "rondo/nn/data.h"
#include "rondo/nn/executor.h"

namespace rondo::examples {

/// Images of 0..1 and labels, in the model's precision.
nn::Feed make_feed(const Model& model, std::span<const nn::Example> examples,
                   std::uint8_t pixel_max);

/// The one number in `tensor`, whichever precision it has.
double scalar(const nn::Tensor& tensor);

}  // namespace rondo::examples
