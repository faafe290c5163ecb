#include "collectives/explain/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "collectives/simulate/network_file.h"
#include "collectives/verify/written.h"

namespace rondo::explain {
namespace {

using algorithms::Algorithm;

/// The constants of a tuning, for its own world or the question's, as a communicator of it has
/// them.
Result<simulate::Network> tuned_network(const PlanQuestion& question,
                                        const select::Tuning& tuning) {
  if (!question.network.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "a tuning says what the network is: expected either a network or a tuning");
  }
  if (question.hosts == 0) return tuning.network;
  simulate::Network asked;
  asked.groups = {{.hosts = question.hosts, .ranks = question.ranks_per_host}};
  return select::network_for(*simulate::layout_without_speeds(asked), tuning.network);
}

/// What a question says besides its network has to be the same: 0, and what it is where nobody has
/// said it, isn't looked at.
Status check_world(const PlanQuestion& question, const simulate::Network& network) {
  const auto says = [](int value, int unsaid) { return value != 0 && value != unsaid; };
  const PlanQuestion unsaid;
  const bool says_ranks = says(question.ranks_per_host, unsaid.ranks_per_host);
  int hosts = 0;
  bool alike = true;
  for (const simulate::HostGroup& group : network.groups) {
    hosts += group.hosts;
    alike = alike && (!says_ranks || question.ranks_per_host == group.ranks);
  }
  if (alike && (!says(question.hosts, unsaid.hosts) || question.hosts == hosts)) return {};
  return {ErrorCode::kInvalidArgument,
          fmt::format("{} hosts of {} ranks: {} describes {} ranks on {} hosts; expected the same, "
                      "or 0 and 0",
                      question.hosts, question.ranks_per_host, question.network_name,
                      network.world(), hosts)};
}

Result<simulate::Network> described_network(const PlanQuestion& question) {
  RONDO_ASSIGN(simulate::Network network,
               simulate::parse_network(question.network, question.network_name));
  RONDO_TRY(check_world(question, network));
  return network;
}

Result<simulate::Network> network_of(const PlanQuestion& question, const select::Tuning* tuning) {
  if (tuning != nullptr && question.hosts == 0) return tuned_network(question, *tuning);
  if (!question.network.empty() && tuning == nullptr) return described_network(question);
  const std::int64_t ranks = std::int64_t{question.hosts} * question.ranks_per_host;
  if (question.hosts < 1 || question.ranks_per_host < 1 || ranks > simulate::kMostRanks) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} hosts of {} ranks: expected at least one of each, and at most {} "
                              "ranks",
                              question.hosts, question.ranks_per_host, simulate::kMostRanks));
  }
  if (tuning != nullptr) return tuned_network(question, *tuning);
  return simulate::default_network(question.hosts, question.ranks_per_host);
}

Status read_tuning(Scenario& scenario) {
  const PlanQuestion& question = scenario.question;
  if (question.tuning.empty()) return {};
  RONDO_ASSIGN(select::Tuning tuning, select::parse_tuning(question.tuning, question.tuning_name));
  scenario.tuning = std::make_shared<const select::Tuning>(std::move(tuning));
  return {};
}

Status check_size(const PlanQuestion& question) {
  if (size_of(question.type) == 0)
    return {ErrorCode::kInvalidArgument, "unknown type; expected one of DataType"};
  std::string expected;
  if (question.bytes > kMostBytes) {
    expected = fmt::format("at most {} (1 TiB)", kMostBytes);
  } else if (question.bytes % size_of(question.type) != 0) {
    expected = fmt::format("whole elements of {}, {} bytes each", to_string(question.type),
                           size_of(question.type));
  } else {
    return {};
  }
  return {ErrorCode::kInvalidArgument,
          fmt::format("{} of {} bytes on a rank: expected {}", to_string(question.collective),
                      question.bytes, expected)};
}

/// Elements that the rows share out.
std::size_t count_of(const PlanQuestion& question, int world) {
  const std::size_t count = question.bytes / size_of(question.type);
  return question.collective == Collective::kAllToAll ? count * static_cast<std::size_t>(world)
                                                      : count;
}

Status read_written(Scenario& scenario) {
  const PlanQuestion& question = scenario.question;
  const std::string& name = question.schedule_name;
  if (question.schedule.empty()) return {};
  RONDO_ASSIGN(schedule::WrittenSchedule written,
               schedule::parse_schedule(question.schedule, name));
  const schedule::Request& request = written.request();
  if (request.collective != question.collective || request.world != scenario.world()) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("{}: '{}' is {} of {} ranks, the question is {} of {}", name, written.name,
                        to_string(request.collective), request.world,
                        to_string(question.collective), scenario.world())};
  }
  if (schedule::has_root(request.collective) && request.root != question.root) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("{}: '{}' is {} with root {}, the question's root is {}", name,
                        written.name, to_string(request.collective), request.root, question.root)};
  }
  RONDO_ASSIGN(verify::WrittenVerdict verdict, verify::verify_written(written, name));
  scenario.written = std::make_shared<const schedule::WrittenSchedule>(std::move(written));
  scenario.written_world = std::make_shared<const schedule::FoldedWorld>(std::move(verdict.fused));
  return {};
}

/// Of the fullest hosts.
double ranks_per_core(const simulate::Network& network) {
  double most = 1;
  for (const simulate::HostGroup& group : network.groups)
    if (group.cores > 0) most = std::max(most, static_cast<double>(group.ranks) / group.cores);
  return most;
}

/// As a communicator chooses, by what the algorithms cost alone.
Result<const Algorithm*> chosen_built_in(const Scenario& scenario) {
  const select::Demands demands = scenario.demands();
  const std::string_view name =
      scenario.asks_for_written() ? std::string_view("auto") : scenario.question.algorithm;
  RONDO_ASSIGN(const Algorithm* forced,
               select::forced_algorithm(scenario.question.collective, name, demands));
  if (forced == nullptr) {
    const auto list = priced(scenario);
    if (!list.empty()) return list.front().algorithm;
  }
  return select::choose(scenario.question.collective, scenario.bytes(), scenario.layout(), name,
                        demands);
}

}  // namespace

select::Layout Scenario::layout() const {
  const bool by_tcp = tuning != nullptr && tuning->transport == "tcp";
  return {.world = world(),
          .one_host = hosts->hosts() == 1 && !by_tcp,
          .hosts = hosts.get(),
          .ranks_per_core = ranks_per_core(network)};
}

schedule::Request request_of(const Scenario& scenario, const Algorithm& algorithm) {
  schedule::Request request{.collective = algorithm.collective,
                            .world = scenario.world(),
                            .root = scenario.question.root,
                            .layout = scenario.hosts};
  request.rows = algorithm.rows(request, scenario.count);
  return request;
}

Result<Scenario> scenario_of(const PlanQuestion& question) {
  Scenario scenario;
  scenario.question = question;
  // It moves none, whatever the question says.
  if (question.collective == Collective::kBarrier) scenario.question.bytes = 0;
  RONDO_TRY(check_size(scenario.question));
  RONDO_TRY(read_tuning(scenario));
  RONDO_ASSIGN(scenario.network, network_of(question, scenario.tuning.get()));
  // A communicator that measures its links doesn't choose by a tuning.
  scenario.hosts = scenario.tuning == nullptr ? simulate::layout_of(scenario.network)
                                              : simulate::layout_without_speeds(scenario.network);
  if (question.root < 0 || question.root >= scenario.world()) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("root {} is no rank of a world of {} (0 to {})", question.root,
                              scenario.world(), scenario.world() - 1));
  }
  scenario.count = count_of(scenario.question, scenario.world());
  scenario.options.element_bytes = size_of(question.type);
  scenario.options.segment_bytes = select::default_segment_bytes(scenario.layout());
  if (scenario.tuning != nullptr) {
    scenario.pricing =
        select::Pricing::make(scenario.tuning, scenario.hosts, scenario.options.segment_bytes);
  }
  RONDO_TRY(read_written(scenario));
  return scenario;
}

std::string name_of(const Scenario& scenario, const Algorithm* algorithm) {
  return algorithm == nullptr ? scenario.written->name : std::string(algorithm->name);
}

double correction_of(const Scenario& scenario, const Algorithm* algorithm) {
  if (algorithm == nullptr || scenario.pricing == nullptr) return 1;
  return scenario.pricing->correction(*algorithm, scenario.bytes(), scenario.question.memory);
}

std::span<const select::Candidate> priced(const Scenario& scenario) {
  if (scenario.pricing == nullptr) return {};
  return scenario.pricing->candidates(scenario.question.collective, scenario.bytes(),
                                      scenario.demands());
}

Result<Schedules> schedules_of(const Scenario& scenario, const Algorithm* algorithm) {
  if (algorithm != nullptr) {
    return select::schedules_of(*algorithm, request_of(scenario, *algorithm), scenario.count);
  }
  return Schedules{
      .world = *scenario.written_world,
      .table = schedule::ChunkTable::equal(scenario.count, scenario.written->request())};
}

Result<const Algorithm*> chosen(const Scenario& scenario) {
  if (scenario.asks_for_written() && scenario.runs_written())
    return static_cast<const Algorithm*>(nullptr);
  RONDO_ASSIGN(const Algorithm* algorithm, chosen_built_in(scenario));
  RONDO_TRY(algorithms::check_rows(*algorithm, request_of(scenario, *algorithm)));
  return algorithm;
}

}  // namespace rondo::explain
