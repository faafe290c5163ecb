#include "collectives/explain/scenario.h"

#include <fmt/format.h>

#include <utility>

#include "collectives/schedule/fold.h"
#include "collectives/schedule/fuse.h"
#include "collectives/schedule/join.h"
#include "collectives/simulate/network_file.h"
#include "collectives/verify/written.h"

namespace rondo::explain {
namespace {

using algorithms::Algorithm;
using schedule::Rank;

/// As the verifier proves whole worlds; in larger ones ranks that are alike are taken from a
/// sample.
constexpr int kMostRanksFolded = 512;
/// Of worlds whose ranks all differ: a gigabyte.
constexpr std::size_t kMostOps = 10'000'000;

Result<simulate::Network> network_of(const PlanQuestion& question) {
  if (!question.network.empty()) return simulate::parse_network(question.network, "network file");
  const std::int64_t ranks = std::int64_t{question.hosts} * question.ranks_per_host;
  if (question.hosts < 1 || question.ranks_per_host < 1 || ranks > simulate::kMostRanks) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} hosts of {} ranks: expected at least one of each, and at most {} "
                              "ranks",
                              question.hosts, question.ranks_per_host, simulate::kMostRanks));
  }
  return simulate::default_network(question.hosts, question.ranks_per_host);
}

/// Elements that the rows share out.
std::size_t count_of(const PlanQuestion& question, int world) {
  const std::size_t count = question.bytes / size_of(question.type);
  return question.collective == Collective::kAllToAll ? count * static_cast<std::size_t>(world)
                                                      : count;
}

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

Status read_written(Scenario& scenario) {
  if (scenario.question.schedule.empty()) return {};
  RONDO_ASSIGN(schedule::WrittenSchedule written,
               schedule::parse_schedule(scenario.question.schedule, "schedule file"));
  const schedule::Request& request = written.request();
  if (request.collective != scenario.question.collective || request.world != scenario.world()) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("schedule file: '{}' is {} of {} ranks, the question is {} of {}",
                        written.name, to_string(request.collective), request.world,
                        to_string(scenario.question.collective), scenario.world())};
  }
  RONDO_ASSIGN(verify::WrittenVerdict verdict, verify::verify_written(written));
  scenario.written = std::make_shared<const schedule::WrittenSchedule>(std::move(written));
  scenario.written_world = std::make_shared<const schedule::FoldedWorld>(std::move(verdict.fused));
  return {};
}

Result<Schedules> schedules_of_built_in(const Scenario& scenario, const Algorithm& algorithm) {
  schedule::Request request{.collective = algorithm.collective,
                            .world = scenario.world(),
                            .root = scenario.question.root,
                            .layout = scenario.hosts};
  request.rows = algorithm.rows(request, scenario.count);
  const auto build = [&algorithm, own = request](Rank rank) mutable {
    own.rank = rank;
    return algorithm.build(own);
  };
  Schedules made{.world = {schedule::Rotation::none(request.world), {}},
                 .table = schedule::ChunkTable::equal(scenario.count, request.rows)};
  if (algorithm.counts != nullptr) {
    RONDO_ASSIGN(made.table,
                 schedule::ChunkTable::of_counts(algorithm.counts(request, scenario.count)));
  }
  if (request.world <= kMostRanksFolded) {
    made.world = schedule::fuse_folded(build);
  } else {
    RONDO_ASSIGN(made.world, large_world(build));
  }
  return made;
}

}  // namespace

select::Layout Scenario::layout() const {
  return {.world = world(), .one_host = hosts->hosts() == 1, .hosts = hosts.get()};
}

Result<Scenario> scenario_of(const PlanQuestion& question) {
  Scenario scenario;
  scenario.question = question;
  RONDO_ASSIGN(scenario.network, network_of(question));
  scenario.hosts = simulate::layout_of(scenario.network);
  if (question.root < 0 || question.root >= scenario.world()) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("root {} is no rank of a world of {} (0 to {})", question.root,
                              scenario.world(), scenario.world() - 1));
  }
  scenario.count = count_of(question, scenario.world());
  scenario.options.element_bytes = size_of(question.type);
  scenario.options.segment_bytes = select::default_segment_bytes(scenario.layout());
  RONDO_TRY(read_written(scenario));
  return scenario;
}

std::string name_of(const Scenario& scenario, const Algorithm* algorithm) {
  return algorithm == nullptr ? scenario.written->name : std::string(algorithm->name);
}

Result<Schedules> schedules_of(const Scenario& scenario, const Algorithm* algorithm) {
  if (algorithm != nullptr) return schedules_of_built_in(scenario, *algorithm);
  const std::uint32_t rows = scenario.written->request().rows;
  return Schedules{.world = *scenario.written_world,
                   .table = schedule::ChunkTable::equal(scenario.count, rows)};
}

Result<const Algorithm*> chosen(const Scenario& scenario) {
  if (scenario.written != nullptr && scenario.question.algorithm == scenario.written->name)
    return static_cast<const Algorithm*>(nullptr);
  const select::Demands demands{.order = scenario.question.deterministic
                                             ? select::Demands::Order::kRanks
                                             : select::Demands::Order::kAny};
  return select::choose(scenario.question.collective, scenario.bytes(), scenario.layout(),
                        scenario.question.algorithm, demands);
}

}  // namespace rondo::explain
