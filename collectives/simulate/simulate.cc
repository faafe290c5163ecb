#include "collectives/simulate/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "collectives/simulate/even_rows.h"
#include "collectives/simulate/kinds.h"
#include "collectives/simulate/simulation.h"

namespace rondo::simulate {

namespace {

/// That are held at once: a gigabyte.
constexpr std::uint64_t kMostSweeps = 10'000'000;

/// Of the representatives, and of a run of them: at least so many segments of sweeps, and messages.
struct Size {
  std::uint64_t sweeps = 0;
  std::uint64_t work = 0;

  bool fits(const Options& options) const {
    return sweeps <= kMostSweeps && work <= options.most_work;
  }
};

Size size_of(const schedule::FoldedWorld& world, const Quotient& quotient) {
  Size size;
  for (const schedule::FusedSchedule& base : world.bases) {
    for (const auto& lane : base.lanes) {
      size.sweeps += lane.size();
      for (const schedule::Sweep& sweep : lane)
        size.work += 1 + static_cast<std::uint64_t>(std::ranges::count_if(
                             targets_of(base, sweep), &schedule::Port::is_channel));
    }
  }
  const auto turned = [&](std::uint64_t all) {
    return all / world.bases.size() * static_cast<std::uint64_t>(quotient.representatives());
  };
  return {turned(size.sweeps), turned(size.work)};
}

/// In words for a table's cell.
Status too_large(std::uint64_t sweeps, std::string_view why) {
  return {ErrorCode::kUnsupported,
          fmt::format("{} million steps to simulate: {}", sweeps / 1'000'000, why)};
}

Status check_rows(std::uint32_t rows, const schedule::ChunkTable& table) {
  if (table.rows() == rows) return {};
  return {ErrorCode::kInvalidArgument,
          fmt::format("the schedule has {} rows, the table of their sizes {}", rows, table.rows())};
}

Status check_ranks(int ranks, const Network& network) {
  if (ranks == network.world()) return {};
  return {ErrorCode::kInvalidArgument,
          fmt::format("the schedule is for {} ranks, the network has {}", ranks, network.world())};
}

Result<Prediction> run(const BoundWorld& world, const Quotient& quotient,
                       const schedule::ChunkTable& table, const Network& network,
                       const Options& options) {
  Simulation simulation(world, quotient, table, network, options);
  RONDO_TRY(simulation.run());
  return std::move(simulation).result();
}

/// Where the ranks' differences are those of rows of two sizes.
Result<Prediction> run_even(const schedule::FoldedWorld& world, const EvenRows& rows,
                            const Network& network, const Options& options) {
  const Quotient quotient = Quotient::of(world.rotation, network, rows.longest);
  const Size size = size_of(world, quotient);
  if (size.sweeps > kMostSweeps) return too_large(size.sweeps, "too few ranks are alike");
  const BoundWorld bound(world, quotient);
  RONDO_ASSIGN(Prediction most, run(bound, quotient, rows.longest, network, options));
  RONDO_ASSIGN(const Prediction least, run(bound, quotient, rows.shortest, network, options));
  most.least_us = least.us;
  most.rows = rows_bound_times(bound, quotient, network, rows, options) ? Prediction::Rows::kBounded
                                                                        : Prediction::Rows::kNear;
  return most;
}

}  // namespace

Result<Prediction> simulate(const schedule::FoldedWorld& world, const schedule::ChunkTable& table,
                            const Network& network, const Options& options) {
  RONDO_TRY(check_ranks(world.rotation.world(), network));
  RONDO_TRY(check_rows(world.bases.front().request.rows, table));
  const Quotient quotient =
      options.fold ? Quotient::of(world.rotation, network, table) : Quotient::whole(world.rotation);
  const Size size = size_of(world, quotient);
  const bool all_differ = quotient.representatives() == world.rotation.world();
  if (options.fold && world.rotation.order() > 1 && all_differ && !size.fits(options)) {
    if (const auto rows = even_rows(table)) return run_even(world, *rows, network, options);
  }
  if (size.sweeps > kMostSweeps)
    return too_large(size.sweeps, "ranks are alike only where all rows have one size");
  return run(BoundWorld(world, quotient), quotient, table, network, options);
}

Result<Prediction> simulate(const Survey& survey, const schedule::ChunkTable& table,
                            const Network& network, const Options& options) {
  RONDO_TRY(check_ranks(survey.world(), network));
  RONDO_TRY(check_rows(survey.rows(), table));
  if (!survey.is_mutual()) {
    return Status(ErrorCode::kInvalidArgument,
                  "a rank of the schedule names one that doesn't name it: expected what each sends "
                  "to be received");
  }
  Kinds kinds(survey, network);
  if (!options.fold || !Kinds::are_known_on(network)) kinds.part_all();
  for (std::uint64_t spent = 0;;) {
    const Quotient quotient = kinds.quotient();
    const auto representatives = static_cast<std::uint64_t>(quotient.representatives());
    const std::uint64_t sweeps =
        survey.ops() / static_cast<std::uint64_t>(survey.world()) * representatives;
    if (sweeps > kMostSweeps) return too_large(sweeps, "too few ranks are alike");
    const BoundWorld bound(survey, kinds, quotient);
    Simulation simulation(bound, quotient, table, network, options);
    const Status status = simulation.run();
    if (status.code() == ErrorCode::kUnsupported) return status;
    if (kinds.all_differ() || !kinds.part(simulation.traces(kinds.exchanges().size()))) {
      RONDO_TRY(status);
      return std::move(simulation).result();
    }
    // Kinds of hardly more than one unit don't pay.
    spent += simulation.work();
    if (spent > options.most_work || 2 * kinds.kinds() > kinds.units()) kinds.part_all();
  }
}

}  // namespace rondo::simulate
