#pragma once

// A multi-layer perceptron as programs: one that trains, one that is judged, one that starts both.

#include <cstdint>

#include "examples/recognize_digits/options.h"
#include "rondo/nn/data.h"
#include "rondo/nn/program.h"

namespace rondo::examples {

struct Model {
  nn::Program startup;
  nn::Program train;
  nn::Program test;  ///< the same parameters, neither backward nor update
  nn::Var image;
  nn::Var label;
  nn::Var loss;      ///< mean over the batch
  nn::Var accuracy;  ///< share of the batch that is right
};

Model build_model(const Options& options, const nn::ImageSet& images);

}  // namespace rondo::examples
