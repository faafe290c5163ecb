#pragma once

// Links of two racks, for tests of what knows them.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collectives/schedule/link_speeds.h"

namespace rondo::schedule {

/// Even and odd ranks are in two racks; a pair of fast hosts is as fast as the slower one's link.
inline LinkSpeeds two_racks(double between_them, const std::vector<double>& own) {
  const std::size_t ranks = own.size();
  std::vector<double> pairs(ranks * ranks, 1);
  for (std::size_t i = 0; i < ranks; ++i) {
    for (std::size_t j = 0; j < ranks; ++j) {
      pairs[i * ranks + j] = std::min(own[i], own[j]);
      if (i % 2 != j % 2) pairs[i * ranks + j] = std::min(pairs[i * ranks + j], between_them);
    }
  }
  return LinkSpeeds::of_pairs(static_cast<int>(ranks), pairs);
}

inline LinkSpeeds two_racks(double between_them, std::size_t ranks) {
  return two_racks(between_them, std::vector<double>(ranks, 1));
}

}  // namespace rondo::schedule
