#pragma once

// What was measured once for a set of hosts, and how costs follow from it: the constants of the
// network that the simulation takes (simulate/network.h), fitted to times of collectives, and those
// times themselves, so that what the simulation doesn't know of an algorithm (a path of its own for
// short messages, a cache that is hit or missed) corrects it at that size, as NCCL's tables of
// corrections do (its src/graph/tuning.cc). A value; threads: any.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/op.h"
#include "collectives/simulate/network.h"
#include "core/status.h"
#include "rondo/memory_kind.h"

namespace rondo::select {

/// One algorithm's times, by ascending bytes.
struct MeasuredTimes {
  struct Point {
    std::size_t bytes = 0;    ///< of all that the collective's rows share out
    double us = 0;            ///< as measured, of the slowest rank
    double simulated_us = 0;  ///< by the constants alone
  };
  schedule::Collective collective = schedule::Collective::kAllReduce;
  std::string algorithm;
  MemoryKind memory = MemoryKind::kOrdinary;
  std::vector<Point> points;
};

struct Tuning {
  std::string transport;           ///< that of all pairs, or "mixed"; empty: not said
  std::vector<std::string> hosts;  ///< the names of the network's, in its order; empty: not said
  simulate::Network network;
  /// On registered memory only what isn't much slower than the fastest on ordinary memory at that
  /// size, and only where ranks share memory.
  std::vector<MeasuredTimes> measured;
  /// Pieces of private memory from this size on are faster read by process_vm_readv than copied
  /// into shared slots; 0: none are.
  std::size_t private_read_bytes = 0;

  /// By how much the measured time is longer than the simulated one: between sizes that were
  /// measured by the logarithms of both, beyond them as at the nearest. 1 for what wasn't measured;
  /// what isn't known on registered memory is as on ordinary memory.
  double correction(schedule::Collective collective, std::string_view algorithm, std::size_t bytes,
                    MemoryKind memory = MemoryKind::kOrdinary) const;
  struct Typical {
    std::string_view algorithm;
    double us = 0;
  };
  /// Of what was measured on such memory at exactly that size, and took at most one and a half
  /// times as long as the fastest, the one in the middle; nothing where none was. (The fastest was
  /// measured in the luckiest moment, most likely.)
  std::optional<Typical> typical(schedule::Collective collective, std::size_t bytes,
                                 MemoryKind memory) const;
  /// Whether it was measured on such memory at that size, or one that is at most twice or half as
  /// large.
  bool is_known(schedule::Collective collective, std::string_view algorithm, std::size_t bytes,
                MemoryKind memory) const;

 private:
  const MeasuredTimes* find(schedule::Collective collective, std::string_view algorithm,
                            MemoryKind memory) const;
};

/// `name` begins messages. Errors: InvalidArgument: no JSON, an unknown key, a number out of its
/// range, a collective, an algorithm or a transport that doesn't exist, names of more or fewer
/// hosts than the network has, each with its place.
Result<Tuning> parse_tuning(std::string_view text, std::string name);
/// What parse_tuning reads as the same.
std::string to_json(const Tuning& tuning);

}  // namespace rondo::select
