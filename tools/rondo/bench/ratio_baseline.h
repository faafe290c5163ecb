#pragma once

// Ratios to other libraries held against those of an earlier run. Ratios travel between machines
// better than times do, if not well: the tolerance has to be wide.
// Threads: any.

#include <string>
#include <string_view>
#include <vector>

#include "tools/rondo/bench/peer_ratios.h"

namespace rondo::tool {

/// The "ratios" of a file that `rondo bench compare --json` has written. Errors: FileError.
std::vector<PeerRatio> read_ratios(const std::string& path);
/// The same of what is in the file.
std::vector<PeerRatio> ratios_from(const std::string& path, std::string_view text);

struct RatioComparison {
  std::string lines;  ///< '#' lines to print
  int compared = 0;
  int lower = 0;  ///< Rondo's lead is smaller than the tolerance allows
};

/// A ratio may fall to (1 - tolerance_percent / 100) of what it was. Errors: FileError where there
/// is nothing to compare.
RatioComparison compare_ratios(const std::string& path, const std::vector<PeerRatio>& before,
                               const std::vector<PeerRatio>& now, double tolerance_percent);

}  // namespace rondo::tool
