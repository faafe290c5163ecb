#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rondo/collective.h"
#include "rondo/export.h"
#include "rondo/memory_kind.h"
#include "rondo/types.h"

namespace rondo {
inline namespace v1 {

/// One collective in a world that needn't exist: what would run there, and how long it would take.
struct PlanQuestion {
  Collective collective = Collective::kAllReduce;
  /// Of one rank's buffer; of the larger one where input and output differ. Whole elements of
  /// `type`, at most 1 TiB.
  std::size_t bytes = 0;
  DataType type = DataType::kF32;
  int root = 0;
  int hosts = 1;
  int ranks_per_host = 2;
  /// The network as JSON (docs/networks.md), which `hosts` and `ranks_per_host` must not
  /// contradict where they are neither 0 nor as they stand here; empty: these, joined as
  /// default_network() says.
  std::string network{};
  /// A tuning file's text (docs/tuning.md): its constants in place of `network`, and choices as a
  /// communicator makes them by it. `hosts` 0: the world that was measured.
  std::string tuning{};
  /// What is predicted by a tuning of both kinds; what is chosen is the same for either.
  MemoryKind memory = MemoryKind::kOrdinary;
  std::string algorithm = "auto";  ///< or one that is forced
  bool deterministic = false;      ///< as CommunicatorOptions::deterministic
  /// A schedule of the user's for this collective and world, as JSON
  /// (docs/your-own-schedule.md): proved, and priced beside ours; chosen where `algorithm` is its
  /// name. (A communicator that is given one goes by it wherever it fits.)
  std::string schedule{};
  /// What errors call these texts; a program that has read them from files may name those.
  std::string network_name = "network file";
  std::string tuning_name = "tuning file";
  std::string schedule_name = "schedule file";
};

/// One way to do it.
struct PlannedAlgorithm {
  std::string name;
  std::string summary;
  /// By simulation of its schedule on the network; 0 where `left_out` says why there is none.
  double predicted_us = 0;
  /// Less than that where the world is too large for rows of two sizes: predicted_us is then with
  /// all rows as the longer ones, least_us as the shorter ones (docs/networks.md).
  double least_us = 0;
  bool bounded = false;     ///< then: what it is with the rows as they are is proved to lie between
  double formula_us = 0;    ///< what the choice goes by without a tuning; 0 with one
  std::uint64_t steps = 0;  ///< messages in a row, of the longest chain
  std::uint64_t most_rank_bytes = 0;  ///< that any rank sends
  std::uint64_t most_link_bytes = 0;  ///< that any host sends to others
  std::string left_out{};
};

/// What one rank sends to one other.
struct PlannedLink {
  int from = 0;
  int to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  bool between_hosts = false;
  int alike =
      1;  ///< links that carry the same: of ranks that are turns of each other one stands for all
};

/// What crosses a link that ranks share: a host's to the others, or a switch's to the rest of the
/// network.
struct PlannedUplink {
  std::string name;  ///< "host 0"; of a switch its own
  bool of_switch = false;
  int alike = 1;  ///< hosts or switches, each of which has as much: this one stands for all
  std::uint64_t up_bytes = 0;
  std::uint64_t down_bytes = 0;
  double busy_share = 0;  ///< of the predicted time, at the link's full speed; 0: it has no limit
};

struct PlanReport {
  int ranks = 0;
  int hosts = 0;
  std::string algorithm;                       ///< that a communicator of this world runs
  std::string reason{};                        ///< one sentence
  std::vector<PlannedAlgorithm> candidates{};  ///< by predicted time; those left out last
  /// Of the chosen one, those between hosts first, most bytes first; none where it couldn't be
  /// simulated.
  std::vector<PlannedLink> links{};
  /// Of the chosen one, hosts before switches; none of a world on one host.
  std::vector<PlannedUplink> uplinks{};
};

/// Cost: by the candidates; milliseconds for tens of ranks, seconds for thousands.
/// Errors: InvalidArgument (a network that can't be read, or that `hosts` and `ranks_per_host`
/// contradict, a schedule for another collective, world or root, an algorithm that doesn't exist,
/// no ranks, more bytes than there may be or parts of elements); Unsupported (all_to_all of more
/// than 65,535 ranks, or another world that is too large for the schedule of what is chosen).
/// Threads: any.
RONDO_API PlanReport explain_plan(const PlanQuestion& question);

/// Who sends what when: an SVG of the predicted run of the chosen algorithm, a line for each rank,
/// from left to right. Errors: as explain_plan; InvalidArgument for what is too large to be looked
/// at.
RONDO_API std::string draw_plan(const PlanQuestion& question);

/// What one rank does, a line for each step of the chosen algorithm. Errors: as explain_plan;
/// InvalidArgument for a rank that there isn't.
RONDO_API std::string describe_plan(const PlanQuestion& question, int rank);

/// The schedule of the chosen algorithm in this world, as a file of one's own: one to begin with
/// (docs/your-own-schedule.md). Errors: as explain_plan; InvalidArgument for what is too large for
/// such a file.
RONDO_API std::string schedule_of_plan(const PlanQuestion& question);

/// The network that the question is about, as JSON with every number spelt out: a file to begin
/// with. Errors: as explain_plan.
RONDO_API std::string network_of_plan(const PlanQuestion& question);

}  // namespace v1
}  // namespace rondo
