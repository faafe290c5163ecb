#pragma once

// Ratios to other libraries held against those of an earlier run. Ratios travel between machines
// better than times do, if not well: the tolerance has to be wide.
// Threads: any.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/rondo/bench/peer_ratios.h"

namespace rondo::tool {

/// The "ratios" of a file that `rondo bench compare --json` has written. Errors: FileError.
std::vector<PeerRatio> read_ratios(const std::string& path);
/// The same of JSON that was read already.
std::vector<PeerRatio> ratios_from(const std::string& path, const nlohmann::json& json);

struct RatioComparison {
  std::string lines;  ///< '#' lines to print
  int compared = 0;
  int lower = 0;  ///< Rondo's lead is smaller than the tolerance allows
};

/// A ratio may fall to (1 - tolerance_percent / 100) of what it was.
RatioComparison compare_ratios(const std::string& path, const std::vector<PeerRatio>& before,
                               const std::vector<PeerRatio>& now, double tolerance_percent);

}  // namespace rondo::tool
