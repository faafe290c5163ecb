#pragma once

// The schedules that plans were made of. What a rank does depends on the algorithm and on the rows,
// not on how long these are: a program whose counts are others in each call has its schedules
// built, fused and folded once. Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rotation.h"

namespace rondo::communicator {

/// What one rank has to know of a world of schedules.
struct OwnPart {
  schedule::FusedSchedule schedule;
  /// The scratch slots (their rows) of those peers whose scratch it stores to.
  std::map<schedule::Rank, std::vector<std::uint32_t>> scratch_rows;
};
OwnPart own_part(const schedule::FoldedWorld& world, schedule::Rank rank);

struct KnownSchedules {
  std::shared_ptr<const OwnPart> own;
  std::shared_ptr<const schedule::FoldedWorld> world;  ///< null where it isn't kept
};

/// Of one rank: those that were used last. Whoever has one shares it, and keeps it however long.
class ScheduleCache {
 public:
  static constexpr std::size_t kMost = 32;
  /// Sweeps and ports of all that are kept, where that is more than one: two megabytes of a place,
  /// of which a process may have one for every rank.
  static constexpr std::size_t kMostSteps = std::size_t{64} * 1024;

  /// Kernels of devices run by all ranks' schedules. Of a large world they are much more than the
  /// rank's own.
  enum class Keep : std::uint8_t { kOwn, kWorld };
  explicit ScheduleCache(Keep keep) : keep_(keep) {}

  /// What `algorithm`, which may be asked for them (algorithms::check_rows), builds for `request`
  /// of this rank.
  KnownSchedules of(const algorithms::Algorithm& algorithm, const schedule::Request& request);
  /// For other layouts none of them is of use.
  void forget();
  /// How often schedules were built.
  std::uint64_t builds() const { return builds_; }

 private:
  struct Entry {
    const algorithms::Algorithm* algorithm = nullptr;
    schedule::Request request;
    KnownSchedules known;
    std::size_t steps = 0;
  };

  Entry build(const algorithms::Algorithm& algorithm, const schedule::Request& request);

  Keep keep_;
  std::vector<Entry> entries_;  ///< used last: last
  std::size_t steps_ = 0;       ///< of all of them
  std::uint64_t builds_ = 0;
};

}  // namespace rondo::communicator
