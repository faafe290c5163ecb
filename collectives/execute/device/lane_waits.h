#pragma once

// What the lanes of a plan that wait for each other wait for: a sweep of another lane, and that
// what it has sent was read. Peers tell that as an answer to the messages that ask for one
// (answers.h).

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collectives/execute/host/plan.h"
#include "collectives/schedule/rotation.h"
#include "core/status.h"

namespace rondo::execute {

/// Whether devices can run the world's waits: the same answer on all ranks. Errors: Unsupported:
/// what is sent to another host has no answer; all lanes of an endpoint are a schedule's, and
/// answers have none.
Status check_waits(const schedule::FoldedWorld& world, bool one_host);

class LaneWaits {
 public:
  explicit LaneWaits(const Plan& plan);

  /// Whether some lane waits for that sweep.
  bool is_awaited(std::size_t lane, std::uint32_t sweep) const {
    return awaited_[lane][sweep] != 0;
  }
  /// Waits for sweeps of that lane.
  std::size_t for_lane(std::size_t lane) const { return for_lane_[lane]; }
  /// So many answers have to be there of a channel (by Plan::senders).
  struct Awaited {
    std::size_t channel = 0;
    std::size_t answers = 0;
  };
  /// Before the wait that is this sweep of this lane is over.
  std::span<const Awaited> of(std::size_t lane, std::uint32_t sweep) const;
  /// Messages of a call that ask, to that endpoint.
  std::size_t asked(const transport::Endpoint* endpoint) const;

 private:
  std::vector<Awaited> before(const Plan& plan, const BoundSweep& wait) const;

  std::vector<std::vector<char>> awaited_;
  std::vector<std::size_t> for_lane_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<Awaited>> waits_;
  std::map<const transport::Endpoint*, std::size_t> asked_;
};

}  // namespace rondo::execute
