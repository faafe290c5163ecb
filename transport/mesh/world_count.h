#pragma once

// Which of its job's worlds a process comes to next. The processes of a job form the same worlds in
// the same order, so each job's number is equal on all of them; a process may be in one job after
// another, and some of the others in one of them alone.
// Threads: any.

#include <cstdint>
#include <map>
#include <mutex>

#include "core/status.h"
#include "transport/rendezvous/launch.h"

namespace rondo::transport {

class WorldCount {
 public:
  /// Of this process.
  static WorldCount& instance();

  /// The number of the world that a process so launched comes to next, from 1. A unique id stands
  /// for one world.
  std::uint32_t next(const rendezvous::Launch& launch) const;
  /// After the meeting. A rank that has waited in vain may try again: what it has said is still
  /// there for those that come late, who come to this world. PMIx takes nothing twice under one
  /// name.
  void add(const rendezvous::Launch& launch, const Status& met);

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint32_t> met_;  ///< by job
};

}  // namespace rondo::transport
