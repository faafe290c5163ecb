#pragma once

// Files of results as lines of bandwidth over size: what `rondo bench report` prints and draws.
// Threads: any.

#include <map>
#include <string>
#include <vector>

#include "tools/rondo/bench/recorded.h"

namespace rondo::tool {

inline constexpr std::size_t kMostLines = 24;
/// In GB/s, 1 byte a second: what is slower has no place on a logarithmic axis.
inline constexpr double kLeastBandwidth = 1e-9;
/// As much as a file of results may have.
inline constexpr double kMostBandwidth = 1e15;

struct ChartLine {
  std::string label;                ///< what tells it from the others
  bool is_bound = false;            ///< of a loop that no library can beat
  std::map<double, double> points;  ///< bus bandwidth in GB/s by size in bytes, both above 0
};

/// One line for each file, library, collective, type, op, root, form, transport, number of ranks
/// and kind of buffers; the median where a size was measured more than once. Errors: FileError
/// where there is nothing to draw, or more than kMostLines.
std::vector<ChartLine> lines_of(const std::vector<RecordedFile>& files);

/// The lines side by side, a row for each size; with `bound_gbps` above 0 also their share of it.
std::string chart_table(const std::vector<ChartLine>& lines, double bound_gbps);

/// "64 KiB", "8 B"
std::string size_text(double bytes);

}  // namespace rondo::tool
