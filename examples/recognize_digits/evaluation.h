#pragma once

// How many held-out images the model gets right, counted by all ranks together.

#include <cstddef>

#include "examples/recognize_digits/model.h"
#include "examples/recognize_digits/world.h"
#include "rondo/nn/data.h"
#include "rondo/nn/parallel_executor.h"

namespace rondo::examples {

/// Exact, whatever the number of ranks. The set holds at least one image for each rank.
std::size_t count_right(const nn::ImageSet& images, const Model& model, const World& world,
                        nn::ParallelExecutor& executor);

}  // namespace rondo::examples
