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
/// That are looked at where no rotation is found: seconds.
constexpr std::size_t kMostOps = 40'000'000;
/// What becomes of each is kept while ranks that are alike are looked for: half a gigabyte.
constexpr std::uint32_t kMostRows = 64U << 20U;

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

Status fill_large_world(Schedules& made, const schedule::BuildSchedule& build) {
  if (made.table.rows() > kMostRows) {
    return {ErrorCode::kUnsupported,
            fmt::format("too many rows to look at: {} million", made.table.rows() / 1'000'000)};
  }
  const schedule::RankSchedule first = build(0);
  if (auto folded = fold_joined_sample(first, build)) {
    made.world = std::move(*folded);
    return {};
  }
  const int world = first.request.world;
  const std::size_t ops = ops_of_world(static_cast<std::size_t>(world), build);
  if (ops > kMostOps) {
    return {ErrorCode::kUnsupported,
            fmt::format("ranks aren't found to be turns of each other: {} million steps to look at",
                        ops / 1'000'000)};
  }
  made.survey = std::make_shared<const simulate::Survey>(build, world, made.table);
  return {};
}

}  // namespace

Result<Schedules> schedules_of(const algorithms::Algorithm& algorithm,
                               const schedule::Request& request, std::size_t count) {
  schedule::Request own = request;
  own.rows = algorithm.rows(request, count);
  RONDO_TRY(algorithms::check_rows(algorithm, own));
  const schedule::BuildSchedule build = [&algorithm, own](Rank rank) {
    schedule::Request of_rank = own;
    of_rank.rank = rank;
    return algorithm.build(of_rank);
  };
  Schedules made{.world = {schedule::Rotation::none(own.world), {}},
                 .table = schedule::ChunkTable::equal(count, own)};
  if (algorithm.counts != nullptr) {
    RONDO_ASSIGN(made.table, schedule::ChunkTable::of_counts(algorithm.counts(own, count)));
  }
  if (own.world <= kMostRanksFolded) {
    made.world = schedule::fuse_folded(build);
  } else {
    RONDO_TRY(fill_large_world(made, build));
  }
  return made;
}

schedule::FusedSchedule schedule_of(const Schedules& schedules, Rank rank) {
  if (schedules.survey == nullptr) return unfold(schedules.world, rank);
  return join_neighbours(schedules.survey->schedule_of(rank));
}

Result<simulate::Prediction> predict(const Schedules& schedules, const simulate::Network& network,
                                     const simulate::Options& options) {
  if (schedules.survey != nullptr)
    return simulate::simulate(*schedules.survey, schedules.table, network, options);
  return simulate::simulate(schedules.world, schedules.table, network, options);
}

}  // namespace rondo::select
