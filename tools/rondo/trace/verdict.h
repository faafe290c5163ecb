#pragma once

// Which rank of a job holds the others up, and by what: it comes late to the calls (it computes for
// longer), its link is slower than the others', or it comes in time and its data late all the same.
//
// Late is how much later than the median of the others a rank entered a call, as far as it was
// outside of calls meanwhile, of sends and receives, too. A link's speed is that of messages that
// came in parts. What is left is how long others have waited for a rank that had begun, less what
// it has waited itself.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/rondo/trace/clock_offsets.h"
#include "tools/rondo/trace/trace_file.h"

namespace rondo::tool {

/// Of one rank, over the calls that all ranks of the traces have; in seconds.
struct RankSummary {
  int rank = 0;
  std::string host;
  ClockOffset clock;
  std::size_t calls = 0;
  std::size_t failed = 0;
  double wait = 0;
  double transfer = 0;
  double reduce = 0;
  double late = 0;
  std::size_t late_calls = 0;  ///< in which that was a tenth of the call or more
  double latest = 0;           ///< of `late`, what one call has most of
  std::string latest_call{};   ///< that one: its number and collective
  double held_up = 0;          ///< others, for it, after it had begun
};

/// From one rank to another.
struct LinkSummary {
  double seconds = 0;
  double bytes = 0;
  double bytes_per_second() const { return seconds > 0 ? bytes / seconds : 0; }
};

enum class Slowness : std::uint8_t { kNone, kLate, kLink, kData };

struct Verdict {
  Slowness kind = Slowness::kNone;
  int rank =
      -1;  ///< the slow rank; of a link that is the only slow one of both its ranks, the sender
  int peer =
      -1;  ///< of kLink: the receiver where one link alone is slow; -1: all of the rank's are
  double seconds = 0;     ///< that it has cost
  double slow_rate = 0;   ///< kLink: bytes per second
  double other_rate = 0;  ///< kLink: of other ranks' links; 0: there are none
};

struct JobSummary {
  std::string job;
  int world = 0;
  std::vector<RankSummary> ranks;  ///< those that have a file, in order
  std::map<std::pair<int, int>, LinkSummary> links;
  std::size_t calls = 0;  ///< that all of them have
  double seconds = 0;     ///< in these calls, each as long as for the rank that was in it longest
  Verdict verdict;
};

/// `ranks`: of one job.
JobSummary summarize(const std::vector<const RankTrace*>& ranks);

}  // namespace rondo::tool
