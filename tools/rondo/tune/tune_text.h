#pragma once

// What `rondo tune --check` prints. Threads: any.

#include <string>
#include <vector>

#include "rondo/tuning.h"

namespace rondo::tool {

std::string choice_heading();
/// One size: what was chosen and how long it took, the fastest, and how far off predictions were.
std::string choice_line(const MeasuredChoice& choice);
/// Whether what was chosen takes at most a tenth longer than the fastest.
bool is_good(const MeasuredChoice& choice);
/// Of all sizes: how far off predictions were, and choices.
std::string choice_summary(const std::vector<MeasuredChoice>& choices);
/// Of those that weren't good and were measured once more: whether they are what they seemed.
std::string second_look_summary(const std::vector<MeasuredChoice>& again);

}  // namespace rondo::tool
