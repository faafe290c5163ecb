#include "collectives/select/schedules.h"

#include <fmt/format.h>

#include <utility>

#include "collectives/schedule/fold.h"
#include "collectives/schedule/fuse.h"
#include "collectives/schedule/join.h"

namespace rondo::select {
namespace {

using schedule::Rank;

/// As the verifier proves whole worlds; in larger ones ranks that are alike are taken from a
/// sample.
constexpr int kMostRanksFolded = 512;
/// Of worlds whose ranks all differ: a gigabyte.
constexpr std::size_t kMostOps = 10'000'000;

/// About as many as the world has, by some of its ranks.
std::size_t ops_of_world(std::size_t world, const schedule::BuildSchedule& build) {
  constexpr std::size_t kSampled = 16;
  std::size_t ops = 0;
  for (std::size_t i = 0; i < kSampled; ++i) {
    for (const auto& lane : build(static_cast<Rank>((i * world + world / 3) / kSampled)).lanes)
      ops += lane.size();
  }
  return ops * (world / kSampled);
}

Result<schedule::FoldedWorld> large_world(const schedule::BuildSchedule& build) {
  const schedule::RankSchedule first = build(0);
  if (auto folded = fold_joined_sample(first, build)) return std::move(*folded);
  const std::size_t ops = ops_of_world(static_cast<std::size_t>(first.request.world), build);
  if (ops > kMostOps) {
    return Status(
        ErrorCode::kUnsupported,
        fmt::format("no two ranks are alike: {} million steps to simulate", ops / 1'000'000));
  }
  schedule::FoldedWorld whole{schedule::Rotation::none(first.request.world), {}};
  whole.bases.push_back(join_neighbours(first));
  for (Rank rank = 1; rank < first.request.world; ++rank)
    whole.bases.push_back(join_neighbours(build(rank)));
  return whole;
}

}  // namespace

Result<Schedules> schedules_of(const algorithms::Algorithm& algorithm,
                               const schedule::Request& request, std::size_t count) {
  schedule::Request own = request;
  own.rows = algorithm.rows(request, count);
  RONDO_TRY(algorithms::check_rows(algorithm, own));
  const auto build = [&algorithm, own](Rank rank) mutable {
    own.rank = rank;
    return algorithm.build(own);
  };
  Schedules made{.world = {schedule::Rotation::none(own.world), {}},
                 .table = schedule::ChunkTable::equal(count, own.rows)};
  if (algorithm.counts != nullptr) {
    RONDO_ASSIGN(made.table, schedule::ChunkTable::of_counts(algorithm.counts(own, count)));
  }
  if (own.world <= kMostRanksFolded) {
    made.world = schedule::fuse_folded(build);
  } else {
    RONDO_ASSIGN(made.world, large_world(build));
  }
  return made;
}

}  // namespace rondo::select
