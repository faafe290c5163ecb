#pragma once

// Lines of bandwidth over size as a picture that any browser shows: both axes logarithmic, a legend
// below, the bound as a dashed line.
// Threads: any.

#include <string>
#include <vector>

#include "tools/rondo/bench/chart.h"

namespace rondo::tool {

/// The whole SVG document. `bound_gbps`: 0 where there is none. `lines` are as lines_of makes them.
std::string chart_svg(const std::vector<ChartLine>& lines, const std::string& title,
                      double bound_gbps);

}  // namespace rondo::tool
