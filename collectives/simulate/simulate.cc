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

constexpr std::size_t kWholeRows = static_cast<std::size_t>(-1) / 2;

/// Of a run of the representatives.
struct Size {
  std::uint64_t pieces = 0;
  std::uint64_t messages = 0;  ///< a piece's is one

  std::uint64_t work() const { return pieces + messages; }  ///< at least
};

/// In pieces of so many bytes; about, where ranks differ.
Size size_of(const schedule::FoldedWorld& world, const Quotient& quotient,
             const schedule::ChunkTable& table, std::size_t element_bytes,
             std::size_t piece_bytes) {
  Size size;
  for (const schedule::FusedSchedule& base : world.bases) {
    for (const auto& lane : base.lanes) {
      for (const schedule::Sweep& sweep : lane) {
        const std::uint64_t pieces =
            sweep.is_wait ? 1 : pieces_of(table.count(sweep.row) * element_bytes, piece_bytes);
        size.pieces += pieces;
        size.messages += pieces * static_cast<std::uint64_t>(std::ranges::count_if(
                                      targets_of(base, sweep), &schedule::Port::is_channel));
      }
    }
  }
  const auto turned = [&](std::uint64_t all) {
    return all / world.bases.size() * static_cast<std::uint64_t>(quotient.representatives());
  };
  return {turned(size.pieces), turned(size.messages)};
}

/// With pieces as long as it takes, and not so many that the simulation wouldn't end.
Result<Options> fitted(const Options& options, const schedule::FoldedWorld& world,
                       const Quotient& quotient, const schedule::ChunkTable& table) {
  const auto size = [&](std::size_t piece_bytes) {
    return size_of(world, quotient, table, options.element_bytes, piece_bytes);
  };
  const std::uint64_t sweeps = size(kWholeRows).pieces;
  Options own = options;
  Size run = size(own.piece_bytes());
  while ((run.pieces > own.most_pieces || run.work() > own.most_work) && run.pieces > sweeps) {
    own.segments_each *= 2;
    run = size(own.piece_bytes());
  }
  if (run.work() > own.most_work) return too_much_work(own);
  return own;
}

/// The same for so many sweeps, of rows of about one size.
Options fitted(const Options& options, std::uint64_t sweeps, const schedule::ChunkTable& table) {
  const std::size_t row_bytes = table.total() / table.rows() * options.element_bytes;
  Options own = options;
  while (own.piece_bytes() < row_bytes &&
         sweeps * (row_bytes / own.piece_bytes()) > own.most_pieces)
    own.segments_each *= 2;
  return own;
}

/// Of a run of all ranks, about: an op is a sweep or a message of one.
std::uint64_t events_of(const Survey& survey, const Options& options,
                        const schedule::ChunkTable& table) {
  const Options own = fitted(options, survey.ops(), table);
  const std::size_t row_bytes = table.total() / table.rows() * options.element_bytes;
  return survey.ops() * pieces_of(row_bytes, own.piece_bytes());
}

/// Kinds of hardly more than one unit don't pay, nor does it to look for them for longer than a run
/// of all ranks takes.
struct SearchForKinds {
  std::uint64_t most_work = 0;
  std::uint64_t events_of_all = 0;
  std::uint64_t work = 0;    ///< so far
  std::uint64_t events = 0;  ///< likewise

  /// After so many kinds were `tried` and found to be `kinds`.
  bool goes_on(const Simulation& run, std::size_t tried, const Kinds& kinds) {
    work += run.work();
    events += run.events();
    const std::uint64_t next = run.events() / tried * kinds.kinds();
    return work <= most_work && events + next <= events_of_all &&
           2 * kinds.kinds() <= kinds.units();
  }
};

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

std::string_view why_few_are_alike(const schedule::Rotation& rotation, const Network& network,
                                   const Quotient& quotient, const schedule::ChunkTable& table) {
  const auto of_one_size = schedule::ChunkTable::equal(table.rows(), table.rows());
  return Quotient::of(rotation, network, of_one_size).representatives() < quotient.representatives()
             ? "ranks are alike only where all rows have one size"
             : "too few ranks are alike where hosts or switches differ";
}

/// Where the ranks' differences are those of rows of two sizes.
Result<Prediction> run_even(const schedule::FoldedWorld& world, const EvenRows& rows,
                            const Network& network, const Options& options) {
  const Quotient quotient = Quotient::of(world.rotation, network, rows.longest);
  const std::uint64_t sweeps =
      size_of(world, quotient, rows.longest, options.element_bytes, kWholeRows).pieces;
  if (sweeps > kMostSweeps) return too_large(sweeps, "too few ranks are alike");
  RONDO_ASSIGN(const Options own, fitted(options, world, quotient, rows.longest));
  const BoundWorld bound(world, quotient);
  RONDO_ASSIGN(Prediction most, run(bound, quotient, rows.longest, network, own));
  RONDO_ASSIGN(const Prediction least, run(bound, quotient, rows.shortest, network, own));
  most.least_us = least.us;
  most.rows = rows_bound_times(bound, quotient, network, rows, own) ? Prediction::Rows::kBounded
                                                                    : Prediction::Rows::kNear;
  return most;
}

}  // namespace

Status too_much_work(const Options& options) {
  return {ErrorCode::kUnsupported,
          fmt::format("more than {} million steps to simulate", options.most_work / 1'000'000)};
}

Result<Prediction> simulate(const schedule::FoldedWorld& world, const schedule::ChunkTable& table,
                            const Network& network, const Options& options) {
  RONDO_TRY(check_ranks(world.rotation.world(), network));
  RONDO_TRY(check_rows(world.bases.front().request.rows, table));
  const Quotient quotient =
      options.fold ? Quotient::of(world.rotation, network, table) : Quotient::whole(world.rotation);
  const auto size_in = [&](std::size_t piece_bytes) {
    return size_of(world, quotient, table, options.element_bytes, piece_bytes);
  };
  const Size size = size_in(kWholeRows);
  const bool all_differ = quotient.representatives() == world.rotation.world();
  const Size in_pieces = size_in(options.piece_bytes());
  const bool fits = size.pieces <= kMostSweeps && in_pieces.pieces <= options.most_pieces &&
                    in_pieces.work() <= options.most_work;
  if (options.fold && world.rotation.order() > 1 && all_differ && !fits) {
    if (const auto rows = even_rows(table)) return run_even(world, *rows, network, options);
  }
  if (size.pieces > kMostSweeps)
    return too_large(size.pieces, why_few_are_alike(world.rotation, network, quotient, table));
  RONDO_ASSIGN(const Options own, fitted(options, world, quotient, table));
  return run(BoundWorld(world, quotient), quotient, table, network, own);
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
  SearchForKinds search{.most_work = options.most_work,
                        .events_of_all = events_of(survey, options, table)};
  for (;;) {
    const Quotient quotient = kinds.quotient();
    const auto representatives = static_cast<std::uint64_t>(quotient.representatives());
    const std::uint64_t sweeps =
        survey.ops() / static_cast<std::uint64_t>(survey.world()) * representatives;
    if (sweeps > kMostSweeps) return too_large(sweeps, "too few ranks are alike");
    const BoundWorld bound(survey, kinds, quotient);
    const Options own = fitted(options, sweeps, table);
    Simulation simulation(bound, quotient, table, network, own);
    const Status status = simulation.run();
    if (status.code() == ErrorCode::kUnsupported) return status;
    const std::size_t tried = kinds.kinds();
    if (kinds.all_differ() || !kinds.part(simulation.traces(kinds.exchanges().size()))) {
      RONDO_TRY(status);
      return std::move(simulation).result();
    }
    if (!search.goes_on(simulation, tried, kinds)) kinds.part_all();
  }
}

}  // namespace rondo::simulate
