#pragma once

// The results of `rondo bench --json`, row by row: whenever the run ends, by a signal too, the file
// holds all rows that were measured before, and can be read. A new file can be so from the start,
// and goes again where a run that fails hasn't measured a row.
// Threads: one at a time.

#include <cstddef>
#include <string>

#include "tools/rondo/bench/output_file.h"
#include "tools/rondo/bench/report.h"

namespace rondo::tool {

class ResultsFile {
 public:
  /// A new file, or an empty one, has the environment and no results at once. `at_end`: all is
  /// written at the end, as to what can't grow. Errors: std::runtime_error, as OutputFile.
  ResultsFile(const std::string& path, const Facts& environment, bool at_end = false);

  /// Whether rows are there as soon as they are kept.
  bool grows() const { return grows_; }
  /// What the file held before goes with the first row. False, and the row isn't kept, where a file
  /// that grows would be longer than those that are read (kMostInputBytes). Errors:
  /// std::runtime_error; what was kept before stays readable.
  bool add(const BenchRow& row);
  /// Behind the last row. Errors: std::runtime_error.
  void close();

 private:
  OutputFile file_;
  const bool grows_;
  std::string text_;       ///< what isn't in the file yet, without the end
  std::size_t begin_ = 0;  ///< where that begins
  bool has_rows_ = false;
};

}  // namespace rondo::tool
