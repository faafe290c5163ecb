#pragma once

// A question about a plan, with everything filled in that follows from it. Pure; threads: any.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/rotation.h"
#include "collectives/schedule/schedule_file.h"
#include "collectives/select/pricing.h"
#include "collectives/select/schedules.h"
#include "collectives/select/select.h"
#include "collectives/simulate/simulate.h"
#include "core/status.h"
#include "rondo/plan.h"

namespace rondo::explain {

/// Of one rank: 1 TiB.
inline constexpr std::size_t kMostBytes = std::size_t{1} << 40;

struct Scenario {
  PlanQuestion question;
  simulate::Network network;
  schedule::SharedLayout hosts;
  std::size_t count = 0;  ///< elements of the collective's data
  /// The user's own, proved.
  std::shared_ptr<const schedule::WrittenSchedule> written{};
  std::shared_ptr<const schedule::FoldedWorld> written_world{};
  std::shared_ptr<const select::Tuning> tuning{};
  std::shared_ptr<select::Pricing> pricing{};  ///< null: choices go by formulas
  simulate::Options options;

  std::size_t bytes() const { return count * options.element_bytes; }
  int world() const { return hosts->world(); }
  select::Layout layout() const;
  select::Demands demands() const {
    using Order = select::Demands::Order;
    return {.order = question.deterministic ? Order::kRanks : Order::kAny};
  }
  /// Whether the question's algorithm is the one that the user has written.
  bool asks_for_written() const {
    return written != nullptr && question.algorithm == written->name;
  }
  /// Whether a communicator would run it for this call: no deterministic one does.
  bool runs_written() const { return written != nullptr && !question.deterministic; }
};

/// Errors: InvalidArgument.
Result<Scenario> scenario_of(const PlanQuestion& question);

/// What a communicator of this world would ask of the algorithm.
schedule::Request request_of(const Scenario& scenario, const algorithms::Algorithm& algorithm);

/// By how much a tuning's measured times are longer than simulated ones: what predictions are
/// multiplied by. 1 without one, and for what wasn't measured (null: written by the user).
double correction_of(const Scenario& scenario, const algorithms::Algorithm* algorithm);

/// What a choice goes by where there is a tuning, least time first; empty: it goes by the cost
/// formula.
std::span<const select::Candidate> priced(const Scenario& scenario);

using select::Schedules;

/// `algorithm`: null for the one that the user has written.
/// Errors: Unsupported: too many ranks for an algorithm whose ranks all differ, in words for a
/// table's cell.
Result<Schedules> schedules_of(const Scenario& scenario, const algorithms::Algorithm* algorithm);
std::string name_of(const Scenario& scenario, const algorithms::Algorithm* algorithm);

/// The algorithm that a communicator would run; null for the one that the user has written, where
/// it is asked for and runs. Errors: InvalidArgument; Unsupported: a world that is too large for
/// it.
Result<const algorithms::Algorithm*> chosen(const Scenario& scenario);

}  // namespace rondo::explain
