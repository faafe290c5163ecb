#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rondo/collective.h"
#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// One algorithm of a collective, as it was measured beside the others.
struct MeasuredAlgorithm {
  std::string name;
  double us = 0;            ///< the median call, on its slowest rank
  double predicted_us = 0;  ///< as CallInfo::predicted_us, on such memory
  /// The same of the other half of its rounds, by which the fastest is found: how far the two lie
  /// apart is what can't be told apart here.
  double other_half_us = 0;
};

/// What a communicator chose for one size, beside all that it could have chosen.
struct MeasuredChoice {
  Collective collective = Collective::kAllReduce;
  std::size_t bytes = 0;  ///< of the larger of one rank's buffers
  std::string chosen;
  /// By every second round; the times are those of the others, so that luck doesn't count twice.
  std::string fastest;
  std::vector<MeasuredAlgorithm> algorithms;
};

}  // namespace v1
}  // namespace rondo
