#include "collectives/simulate/simulate.h"

#include <fmt/format.h>

#include "collectives/simulate/simulation.h"

namespace rondo::simulate {

namespace {

/// That are held at once: a gigabyte.
constexpr std::uint64_t kMostSweeps = 10'000'000;

/// In words for a table's cell.
Status check_size(const schedule::FoldedWorld& world, const Quotient& quotient) {
  std::uint64_t sweeps = 0;
  for (const schedule::FusedSchedule& base : world.bases)
    for (const auto& lane : base.lanes) sweeps += lane.size();
  sweeps = sweeps / world.bases.size() * static_cast<std::uint64_t>(quotient.representatives());
  if (sweeps <= kMostSweeps) return {};
  return {ErrorCode::kUnsupported,
          fmt::format("{} million steps to simulate: ranks are alike only where all rows have one "
                      "size",
                      sweeps / 1'000'000)};
}

}  // namespace

Result<Prediction> simulate(const schedule::FoldedWorld& world, const schedule::ChunkTable& table,
                            const Network& network, const Options& options) {
  if (world.rotation.world() != network.world()) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("the schedule is for {} ranks, the network has {}",
                              world.rotation.world(), network.world()));
  }
  const std::uint32_t rows = world.bases.front().request.rows;
  if (table.rows() != rows) {
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("the schedule has {} rows, the table of their sizes {}", rows, table.rows()));
  }
  const Quotient quotient =
      options.fold ? Quotient::of(world.rotation, network, table) : Quotient::whole(world.rotation);
  RONDO_TRY(check_size(world, quotient));
  const BoundWorld bound(world, quotient);
  Simulation simulation(bound, quotient, table, network, options);
  RONDO_TRY(simulation.run());
  return std::move(simulation).result();
}

}  // namespace rondo::simulate
