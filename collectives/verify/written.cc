#include "collectives/verify/written.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"
#include "collectives/verify/shape.h"
#include "collectives/verify/verify.h"
#include "rondo/schedules.h"

namespace rondo::verify {
namespace {

using schedule::FusedSchedule;

std::vector<FusedSchedule> lowered(const schedule::WrittenSchedule& written) {
  std::vector<FusedSchedule> world;
  for (const schedule::RankSchedule& rank : written.ranks) world.push_back(lower(rank));
  return world;
}

/// Who may touch which memory when takes a clock for each pair of ranks: in worlds of up to
/// kMemoryRulesUpTo, as for built-in algorithms.
Result<Report> verify_fused(const schedule::FoldedWorld& world) {
  return world.rotation.world() <= kMemoryRulesUpTo ? verify_at_once(world) : verify_values(world);
}

/// What is wrong, told of the schedule as it was written.
Status in_its_own_ops(const schedule::WrittenSchedule& written, const Status& of_fused) {
  const auto none = schedule::Rotation::none(written.request().world);
  const Status status = verify_values({none, lowered(written)}).status();
  return status.ok() ? of_fused : status;
}

/// First, so that errors speak of its own ops; of a large world only what fusing takes for granted,
/// that all it names is there.
Status check_as_written(const std::vector<FusedSchedule>& world) {
  return world.size() <= kMemoryRulesUpTo ? verify_at_once(world).status() : check_shape(world);
}

/// Whoever forces an algorithm, or reads of one, is to know whose it is.
Status check_name(std::string_view name) {
  const bool is_taken =
      name == "auto" || name == "none" || name == "identity" ||
      std::ranges::any_of(algorithms::all(), [&](const auto& each) { return each.name == name; });
  if (!is_taken) return {};
  return {ErrorCode::kInvalidArgument,
          fmt::format("name: '{}' is a word of the library's own; expected another, as \"my_{}\"",
                      name, name)};
}

Result<WrittenVerdict> verdict_on(const schedule::WrittenSchedule& written) {
  RONDO_TRY(check_name(written.name));
  RONDO_TRY(check_as_written(lowered(written)));
  const auto build = [&](schedule::Rank rank) {
    return written.ranks[static_cast<std::size_t>(rank)];
  };
  WrittenVerdict verdict{.fused = schedule::fuse_folded(build)};
  const Result<Report> proof = verify_fused(verdict.fused);
  if (!proof.ok()) {
    verdict.fused.bases.clear();  // room for the other form of it
    return in_its_own_ops(written, proof.status());
  }
  const Report& report = *proof;
  verdict.least_credits = report.least_credits;
  for (schedule::Rank rank = 0; rank < written.request().world; ++rank) {
    const FusedSchedule own = unfold(verdict.fused, rank);
    for (const auto& lane : own.lanes) verdict.sweeps += lane.size();
    verdict.direct_stores += static_cast<std::uint64_t>(
        std::ranges::count_if(own.ports, [](const schedule::Port& port) { return port.direct; }));
  }
  return verdict;
}

}  // namespace

Result<WrittenVerdict> verify_written(const schedule::WrittenSchedule& written,
                                      std::string_view file) {
  Result<WrittenVerdict> verdict = verdict_on(written);
  if (verdict.ok()) return verdict;
  const Status& error = verdict.status();
  return Status(error.code(), fmt::format("{}: {}", file, error.message()), error.culprit(),
                error.where());
}

}  // namespace rondo::verify
