#include "collectives/simulate/simulate.h"

#include <fmt/format.h>

#include "collectives/simulate/simulation.h"

namespace rondo::simulate {

namespace {

/// That are held at once: a gigabyte.
constexpr std::uint64_t kMostSweeps = 10'000'000;

/// Of segments of so many bytes, in the sweeps of all representatives; about, where ranks differ.
std::uint64_t count_segments(const schedule::FoldedWorld& world, const Quotient& quotient,
                             const schedule::ChunkTable& table, std::size_t element_bytes,
                             std::size_t segment_bytes) {
  std::uint64_t segments = 0;
  for (const schedule::FusedSchedule& base : world.bases) {
    for (const auto& lane : base.lanes) {
      for (const schedule::Sweep& sweep : lane)
        segments += segments_of(sweep, table, element_bytes, segment_bytes);
    }
  }
  return segments / world.bases.size() * static_cast<std::uint64_t>(quotient.representatives());
}

/// In words for a table's cell.
Status check_sweeps(std::uint64_t sweeps) {
  if (sweeps <= kMostSweeps) return {};
  return {ErrorCode::kUnsupported,
          fmt::format("{} million steps to simulate: ranks are alike only where all rows have one "
                      "size",
                      sweeps / 1'000'000)};
}

/// With segments as long as it takes, and not so many that the simulation wouldn't end.
Result<Options> fitted(const Options& options, const schedule::FoldedWorld& world,
                       const Quotient& quotient, const schedule::ChunkTable& table) {
  constexpr std::size_t kWholeRows = static_cast<std::size_t>(-1) / 2;
  const auto segments = [&](std::size_t segment_bytes) {
    return count_segments(world, quotient, table, options.element_bytes, segment_bytes);
  };
  const std::uint64_t sweeps = segments(kWholeRows);
  RONDO_TRY(check_sweeps(sweeps));
  Options own = options;
  std::uint64_t count = segments(own.segment_bytes);
  while (count > own.most_segments && count > sweeps) {
    own.segment_bytes *= 2;
    count = segments(own.segment_bytes);
  }
  if (count > own.most_work) return too_much_work(own);
  return own;
}

}  // namespace

Status too_much_work(const Options& options) {
  return {ErrorCode::kUnsupported,
          fmt::format("more than {} million steps to simulate", options.most_work / 1'000'000)};
}

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
  RONDO_ASSIGN(const Options own, fitted(options, world, quotient, table));
  const BoundWorld bound(world, quotient);
  Simulation simulation(bound, quotient, table, network, own);
  RONDO_TRY(simulation.run());
  return std::move(simulation).result();
}

}  // namespace rondo::simulate
