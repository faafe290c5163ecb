#include "collectives/explain/scenario.h"

#include <fmt/format.h>

#include <utility>

#include "collectives/simulate/network_file.h"
#include "collectives/verify/written.h"

namespace rondo::explain {
namespace {

using algorithms::Algorithm;

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
  if (algorithm != nullptr) {
    return select::schedules_of(*algorithm,
                                {.collective = algorithm->collective,
                                 .world = scenario.world(),
                                 .root = scenario.question.root,
                                 .layout = scenario.hosts},
                                scenario.count);
  }
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
