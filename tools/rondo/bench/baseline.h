#pragma once

// Results held against those of an earlier run. Two times are comparable where nothing but the
// program differs: the same machine, ranks, transport, buffers and wire format. The algorithm may
// differ; to choose another one is the program's business.
// Threads: any.

#include <string>
#include <vector>

#include "tools/rondo/bench/recorded.h"
#include "tools/rondo/bench/report.h"

namespace rondo::tool {

struct BaselinePoint {
  BenchResult now;
  double before_us = 0;

  /// Above 1: slower than before.
  double ratio() const { return now.p50_us / before_us; }
};

struct BaselineComparison {
  std::vector<BaselinePoint> points;
  int unknown = 0;  ///< results that the baseline has none for
};

/// Told before anything is measured. Errors: FileError where the baseline has no results of a
/// `collective` of so many ranks, or one that took no time, or comes from another host or
/// processor, unless that may be.
void require_comparable(const RecordedFile& baseline, const std::string& collective, int ranks,
                        const Facts& here, bool any_machine);

/// Behind the first row. Errors: FileError where the baseline's result of the same call, or all of
/// its collective and ranks, went over another transport.
void require_same_transport(const RecordedFile& baseline, const BenchRow& row);

/// Each result with the baseline's median of the same collective, size, type, op, root, form,
/// buffers, wire format and -a. Errors: FileError where such a one went over another transport, or
/// where there is none at all.
BaselineComparison compare_with(const RecordedFile& baseline, const std::vector<BenchRow>& rows);

/// How many points took longer than the tolerance allows.
int count_slower(const BaselineComparison& comparison, double tolerance_percent);

/// '#' lines: each point, and what it comes to.
std::string comparison_lines(const RecordedFile& baseline, const BaselineComparison& comparison,
                             double tolerance_percent);

}  // namespace rondo::tool
