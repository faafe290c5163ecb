#pragma once

// Whether all ranks were started to do the same. Every process reads a command line of its own;
// where two of them differ, ranks would train different models and average nonsense.

#include <string>
#include <vector>

#include "examples/recognize_digits/options.h"
#include "examples/recognize_digits/world.h"
#include "rondo/nn/data.h"

namespace rondo::examples {

struct Setting {
  std::string name;   ///< as on the command line; one word
  std::string value;  ///< one line
};

/// The options that must be equal on all ranks. Not those that name files, which each host may have
/// elsewhere, nor the number of places.
std::vector<Setting> settings_of(const Options& options);
/// The images, whatever the file's name is.
std::vector<Setting> settings_of(const nn::TrainTest& data);

/// Empty where all ranks have `own`; else the first difference: two ranks and their values. Every
/// rank calls it, with equal names, and gets the same.
std::string disagreement(const std::vector<Setting>& own, World& world);

}  // namespace rondo::examples
