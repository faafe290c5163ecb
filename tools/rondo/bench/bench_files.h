#pragma once

// The files of a run of `rondo bench`: what rank 0 writes its results to, and what it compares them
// with. All ranks call what all of them must agree on.
// Threads: one at a time.

#include <optional>
#include <vector>

#include "rondo/communicator.h"
#include "tools/rondo/bench/options.h"
#include "tools/rondo/bench/recorded.h"
#include "tools/rondo/bench/report.h"
#include "tools/rondo/bench/results_file.h"

namespace rondo::tool {

class BenchFiles {
 public:
  /// Both are borrowed.
  BenchFiles(Communicator& communicator, const BenchOptions& options)
      : communicator_(communicator), options_(options) {}

  /// Every rank. False on all of them where rank 0 can't use a file, and has said why.
  bool open();
  /// Rank 0's.
  const Facts& environment() const { return environment_; }
  /// Every rank, behind each row of a run. False on all of them where the first one went over
  /// another transport than the baseline's, which rank 0 has said. A row that can't be written is
  /// no reason to stop: rank 0 says so once, and finish fails.
  bool keep(const BenchRow& row);
  /// Rank 0, behind the last row: the rest of the files, and lines about the baseline. The exit
  /// code. Errors: std::runtime_error.
  int finish();

 private:
  void open_on_rank_0();
  void write(const BenchRow& row);
  bool is_comparable(const BenchRow& row) const;
  /// What rank 0 says.
  bool agree(bool answer);

  Communicator& communicator_;
  const BenchOptions& options_;
  Facts environment_;
  std::optional<ResultsFile> json_;
  std::optional<RecordedFile> baseline_;
  std::vector<BenchRow> rows_;  ///< to be compared
  bool is_compared_ = false;    ///< the first row has been looked at
  bool is_full_ = false;
  bool has_failed_ = false;
};

}  // namespace rondo::tool
