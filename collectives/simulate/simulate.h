#pragma once

// When every rank of a collective would be done on a described network: a discrete-event simulation
// of the schedule that runs, sweep by sweep and piece by piece.
//
// A rank has one core, which moves on one sweep's piece at a time: it takes what each source and
// target costs (network.h). A message then passes the links between the two hosts, one after the
// other on each channel, in the share that max-min fairness leaves it (fluid.h), and arrives its
// latency later. Channels hold any number of messages. Pure: the same input gives the same bits.
// Threads: any.

#include <cstdint>
#include <vector>

#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/rotation.h"
#include "collectives/simulate/network.h"
#include "collectives/simulate/survey.h"
#include "core/status.h"

namespace rondo::simulate {

struct Options {
  std::size_t element_bytes = 4;
  /// What is moved and sent as one message, a multiple of element_bytes.
  std::size_t segment_bytes = std::size_t{256} * 1024;
  /// So many segments of a row are simulated as one piece, which costs as many messages: the fewer
  /// pieces, the less is seen of what overlaps with what.
  std::size_t segments_each = 1;
  /// Interchangeable ranks are simulated once.
  bool fold = true;
  /// Keeps what happened when (Prediction::spans).
  bool record = false;
  /// segments_each is doubled until there are about so many pieces in all sweeps, and their
  /// messages are no more than most_work.
  std::uint64_t most_pieces = static_cast<std::uint64_t>(-1);
  /// Gives up (Unsupported) after so many sweeps' pieces, messages and eighths of shares of links:
  /// a quarter of a microsecond each, up to twice that in large worlds.
  std::uint64_t most_work = static_cast<std::uint64_t>(-1);

  std::size_t piece_bytes() const { return segment_bytes * segments_each; }
};

/// Of one rank.
struct RankTime {
  schedule::Rank rank = 0;
  int ranks_each = 1;  ///< that it stands for, itself one of them
  double done_us = 0;
  double busy_us = 0;  ///< its core, alone: sharing it takes longer
};

/// What one rank sends to one other.
struct Traffic {
  schedule::Rank from = 0;
  schedule::Rank to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  int alike = 1;  ///< so many pairs of ranks, this one for all of them
};

/// What crosses the link of a host to the others, or of a switch to the rest of the network.
struct UplinkTraffic {
  int index = 0;  ///< of the host, or of the switch in Network::switches
  int alike = 1;  ///< hosts or switches of its kind, each of which has as much
  double up_bytes = 0;
  double down_bytes = 0;
};

/// One thing that took time.
struct Span {
  enum class Kind : std::uint8_t { kWork, kMessage };
  Kind kind = Kind::kWork;
  schedule::Rank rank = 0;   ///< a message's sender
  schedule::Rank peer = -1;  ///< a message's receiver
  std::uint32_t lane = 0;
  std::uint32_t sweep = 0;  ///< of the lane; of a message: the sender's
  double begin_us = 0;
  double end_us = 0;  ///< a message's arrival
  std::uint64_t bytes = 0;
};

struct Prediction {
  double us = 0;  ///< the last rank's end
  /// Where rows of two sizes were taken for rows of one (even_rows.h), `us` is with all rows as the
  /// longer ones, and `least_us` as the shorter ones; else they are equal.
  double least_us = 0;
  enum class Rows : std::uint8_t {
    kExact,    ///< as they are
    kBounded,  ///< of one size: the time as they are is proved to lie between both
    kNear,     ///< of one size: it may lie beside them
  };
  Rows rows = Rows::kExact;
  std::vector<RankTime> ranks;          ///< the representatives
  std::vector<Traffic> traffic;         ///< of the representatives
  std::vector<UplinkTraffic> hosts;     ///< one of each kind
  std::vector<UplinkTraffic> switches;  ///< one of each kind
  std::vector<Span> spans;              ///< theirs, in the order of their ends
  std::uint64_t events = 0;             ///< sweeps' pieces and messages that were simulated
  /// The most messages that have to follow each other, by the order of lanes and by what they wait
  /// for, whatever they take.
  std::uint64_t steps = 0;
};

/// `world` has as many ranks as the network; `table` one row for each of the schedules'. Ranks that
/// are turns of each other but for rows one element longer than others are simulated one by one
/// where Options::most_work and most_pieces allow it; else all rows are as long as the longest, and
/// Prediction has two times.
/// Cost: about a microsecond for each piece of each sweep of each representative, its messages with
/// it; memory by their sweeps.
/// Errors: InvalidArgument (a world or table of another size; schedules in which a rank waits for
/// a message that nobody sends: the rank, its lane and sweep; times that are no finite numbers),
/// Unsupported (Options::most_work).
Result<Prediction> simulate(const schedule::FoldedWorld& world, const schedule::ChunkTable& table,
                            const Network& network, const Options& options);

/// The same of a world without a rotation, as many ranks of it simulated as differ in what they do
/// when (kinds.h). The pieces of all its runs count for Options::most_work.
/// Cost: the survey's memory, and a few dozen runs of the representatives.
/// Errors: as above; Unsupported too where too few ranks are alike.
Result<Prediction> simulate(const Survey& survey, const schedule::ChunkTable& table,
                            const Network& network, const Options& options);

}  // namespace rondo::simulate
