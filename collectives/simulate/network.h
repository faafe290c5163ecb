#pragma once

// The machine that a schedule is simulated on: hosts with their ranks and links, switches that
// hosts share, and what a message and a rank's own work cost. A value; threads: any.
//
// Message costs follow LogGP (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995), in ranges of
// message sizes, for systems copy and notify short messages by other ways than long ones (Clauss
// et al., Single Node On-Line Simulation of MPI Applications with SMPI, IPDPS 2011). Times are
// microseconds, sizes bytes, speeds bytes per microsecond (1 GB/s = 1000).

#include <cstddef>
#include <string>
#include <vector>

#include "collectives/schedule/host_layout.h"
#include "core/status.h"

namespace rondo::simulate {

/// What is never the bottleneck.
inline constexpr double kUnlimited = 0;

/// What one message of up to `most_bytes` costs.
struct MessageCost {
  std::size_t most_bytes = static_cast<std::size_t>(-1);
  double latency_us = 0;           ///< from the sender's last action to the receiver's first
  double send_us = 0;              ///< the sender's core is busy for so long,
  double send_us_per_byte = 0;     ///< and so long for each byte
  double receive_us = 0;           ///< the receiver's core, likewise
  double receive_us_per_byte = 0;  ///< beside what its sweep costs (Work)
};

/// How two ranks are joined.
struct Link {
  /// They share memory: a message is read where it lies, and counts until it has been read.
  bool maps = false;
  /// What one pair's messages in one direction can pass at most; kUnlimited: no limit of its own.
  double bytes_per_us = kUnlimited;
  /// By ascending sizes; the last range takes all that is longer.
  std::vector<MessageCost> costs{{}};

  const MessageCost& cost_of(std::size_t message_bytes) const;
};

/// What a rank's core needs for the bytes that a sweep touches: each source read, each target
/// written, and each source after the first combined.
struct Work {
  double call_us = 0;  ///< of every call, before its first op
  double read_us_per_byte = 0;
  double write_us_per_byte = 0;
  double reduce_us_per_byte = 0;
  /// Once the buffers of a host's ranks have outgrown so many bytes, reads and writes cost
  /// `beyond_cache` times as much, in the part that doesn't fit. 0: never.
  double cache_bytes = 0;
  double beyond_cache = 1;
};

/// Hosts that are alike, one behind the other.
struct HostGroup {
  int hosts = 1;
  int ranks = 1;                        ///< of each host
  int cores = 0;                        ///< ranks share them; 0: one for each rank
  double up_bytes_per_us = kUnlimited;  ///< of each host's link to the others
  double down_bytes_per_us = kUnlimited;
  double memory_bytes_per_us = kUnlimited;  ///< all ranks' reads and writes beyond the cache
  int switch_index = -1;                    ///< that joins these hosts; -1: joined to all directly
};

/// Joins its hosts without limit; the link to the others is shared.
struct Switch {
  std::string name;
  double up_bytes_per_us = kUnlimited;
  double down_bytes_per_us = kUnlimited;
};

struct Network {
  std::vector<HostGroup> groups;
  std::vector<Switch> switches;
  Link inside;   ///< between ranks of one host
  Link between;  ///< between ranks of different hosts
  Work work;

  int world() const;
};

/// One rank a core, on `hosts` hosts of `ranks` each, with the constants that Rondo chooses by
/// where nothing was measured.
Network default_network(int hosts, int ranks);

/// That of a host, which count through all groups.
const HostGroup& group_of_host(const Network& network, int host);
/// The ranks' hosts, in the order of the groups.
std::vector<int> hosts_of_ranks(const Network& network);
/// The same as algorithms ask for it, with the speeds of the hosts' links where they differ.
schedule::SharedLayout layout_of(const Network& network);
/// Without them: what a communicator knows that hasn't measured its links.
schedule::SharedLayout layout_without_speeds(const Network& network);

}  // namespace rondo::simulate
