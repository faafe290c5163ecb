#pragma once

// What `rondo tune --check` prints. Threads: any.

#include <string>
#include <vector>

#include "rondo/tuning.h"

namespace rondo::tool {

std::string choice_heading();
/// One size: what was chosen and how long it took, the fastest, and how far off predictions were.
std::string choice_line(const MeasuredChoice& choice);
/// Of all sizes: how far off predictions were, and choices.
std::string choice_summary(const std::vector<MeasuredChoice>& choices);

}  // namespace rondo::tool
