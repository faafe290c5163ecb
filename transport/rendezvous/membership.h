#pragma once

// Who is in a world: every process brings one or more places, each place is a rank. The ranks of
// one process are neighbours, processes follow in the order of their index.
// Threads: join by one thread per store handle; a Membership is a value.

#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"
#include "transport/rendezvous/launch.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

/// What a process tells the others when it joins.
struct Joining {
  std::string world_name = "world";  ///< a new one for every world that a job forms
  int places = 1;
  std::string host_identity{};  ///< equal for processes that can share memory; the caller's to say
  std::string blob{};           ///< addresses and what else the caller wants known
};

struct Process {
  int first_rank = 0;
  int places = 1;
  std::string host_identity;
  std::string hostname;
  std::int64_t pid = 0;
  std::string blob;
};

struct Membership {
  int world = 0;
  int first_rank = 0;  ///< of this process
  std::vector<Process> processes;
  std::vector<int> process_of_rank;

  const Process& process_of(int rank) const;
  /// "rank 2 (hostname, pid 4242)"
  std::string describe(int rank) const;
};

inline constexpr int kMaxPlaces = 1024;

/// Under which `join` gathers what the processes say (Store::all_gather).
std::string joining_key(const std::string& world_name);

/// Waits until all processes of the launch have joined.
/// Errors: Timeout (names those that have not), Mismatch, DataLoss, InvalidArgument.
Result<Membership> join(Store& store, const Launch& launch, const Joining& joining,
                        Deadline deadline);

}  // namespace rondo::rendezvous
