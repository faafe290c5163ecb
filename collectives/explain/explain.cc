#include "collectives/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "collectives/explain/reason.h"
#include "collectives/select/select.h"

namespace rondo::explain {
namespace {

using algorithms::Algorithm;
using schedule::Rank;

/// Of each candidate, and of the one that is chosen: a second or two, and ten.
constexpr std::uint64_t kMostWork = 4'500'000;
constexpr std::uint64_t kMostWorkOfChosen = 20'000'000;
/// A second's worth, of the largest data too.
constexpr std::uint64_t kMostPieces = 500'000;

std::uint64_t most_rank_bytes(const simulate::Prediction& prediction) {
  std::map<Rank, std::uint64_t> sent;
  for (const simulate::Traffic& traffic : prediction.traffic) sent[traffic.from] += traffic.bytes;
  std::uint64_t most = 0;
  for (const auto& [rank, bytes] : sent) most = std::max(most, bytes);
  return most;
}

std::uint64_t most_link_bytes(const simulate::Prediction& prediction) {
  double most = 0;
  for (const simulate::UplinkTraffic& host : prediction.hosts) most = std::max(most, host.up_bytes);
  return static_cast<std::uint64_t>(std::llround(most));
}

std::vector<PlannedLink> links_of(const Scenario& scenario,
                                  const simulate::Prediction& prediction) {
  std::vector<PlannedLink> links;
  for (const simulate::Traffic& traffic : prediction.traffic) {
    links.push_back({.from = traffic.from,
                     .to = traffic.to,
                     .messages = traffic.messages,
                     .bytes = traffic.bytes,
                     .between_hosts = scenario.hosts->host_of(traffic.from) !=
                                      scenario.hosts->host_of(traffic.to),
                     .alike = traffic.alike});
  }
  std::ranges::stable_sort(links, std::ranges::greater(), [](const PlannedLink& link) {
    return std::pair(link.between_hosts, link.bytes);
  });
  return links;
}

/// How much of `us` a link is busy at its full speed. Where less was measured than that takes, the
/// tuning's link is too slow: it is all of the time then.
double busy_share(const simulate::UplinkTraffic& traffic, double up, double down, double us) {
  double busy_us = 0;
  if (up != simulate::kUnlimited) busy_us = std::max(busy_us, traffic.up_bytes / up);
  if (down != simulate::kUnlimited) busy_us = std::max(busy_us, traffic.down_bytes / down);
  return us > 0 ? std::min(1.0, busy_us / us) : 0;
}

PlannedUplink uplink_of(std::string name, const simulate::UplinkTraffic& traffic) {
  return {.name = std::move(name),
          .alike = traffic.alike,
          .up_bytes = static_cast<std::uint64_t>(std::llround(traffic.up_bytes)),
          .down_bytes = static_cast<std::uint64_t>(std::llround(traffic.down_bytes))};
}

/// `us`: as predicted, corrected.
std::vector<PlannedUplink> uplinks_of(const Scenario& scenario,
                                      const simulate::Prediction& prediction, double us) {
  std::vector<PlannedUplink> uplinks;
  for (const simulate::UplinkTraffic& host : prediction.hosts) {
    if (scenario.hosts->hosts() == 1) continue;
    const simulate::HostGroup& group = simulate::group_of_host(scenario.network, host.index);
    uplinks.push_back(uplink_of(fmt::format("host {}", host.index), host));
    uplinks.back().busy_share =
        busy_share(host, group.up_bytes_per_us, group.down_bytes_per_us, us);
  }
  for (const simulate::UplinkTraffic& traffic : prediction.switches) {
    const simulate::Switch& device =
        scenario.network.switches[static_cast<std::size_t>(traffic.index)];
    uplinks.push_back(uplink_of(device.name, traffic));
    uplinks.back().of_switch = true;
    uplinks.back().busy_share =
        busy_share(traffic, device.up_bytes_per_us, device.down_bytes_per_us, us);
  }
  return uplinks;
}

/// `report`: null, or where what this way loads goes.
Status fill_in(const Scenario& scenario, const Algorithm* algorithm, std::uint64_t most_work,
               PlannedAlgorithm& planned, PlanReport* report) {
  if (algorithm == nullptr && !scenario.runs_written())
    return {ErrorCode::kUnsupported, "a deterministic communicator goes without it"};
  RONDO_ASSIGN(const Schedules schedules, schedules_of(scenario, algorithm));
  simulate::Options options = scenario.options;
  options.most_pieces = kMostPieces;
  options.most_work = most_work;
  RONDO_ASSIGN(const simulate::Prediction prediction,
               select::predict(schedules, scenario.network, options));
  planned.predicted_us = prediction.us * correction_of(scenario, algorithm);
  planned.least_us = planned.predicted_us;
  if (prediction.least_us < prediction.us) planned.least_us *= prediction.least_us / prediction.us;
  planned.bounded = prediction.rows == simulate::Prediction::Rows::kBounded;
  planned.most_rank_bytes = most_rank_bytes(prediction);
  planned.most_link_bytes = most_link_bytes(prediction);
  planned.steps = prediction.steps;
  if (report == nullptr) return {};
  report->links = links_of(scenario, prediction);
  report->uplinks = uplinks_of(scenario, prediction, planned.predicted_us);
  return {};
}

/// One way to do it: an algorithm, or (null) what the user has written.
struct Way {
  const Algorithm* algorithm = nullptr;
  std::string summary;
  double formula_us = 0;
};

std::vector<Way> ways_of(const Scenario& scenario) {
  const select::Layout layout = scenario.layout();
  std::vector<Way> ways;
  for (const select::Candidate& candidate :
       select::candidates(scenario.question.collective, scenario.bytes(), layout,
                          select::default_link_cost(layout), scenario.demands())) {
    ways.push_back({candidate.algorithm, std::string(candidate.algorithm->summary),
                    scenario.pricing == nullptr ? candidate.predicted_us : 0});
  }
  if (scenario.written != nullptr) ways.push_back({nullptr, scenario.written->summary, 0});
  return ways;
}

}  // namespace

Result<PlanReport> explain(const Scenario& scenario) {
  RONDO_ASSIGN(const Algorithm* algorithm, chosen(scenario));
  PlanReport report{.ranks = scenario.world(),
                    .hosts = scenario.hosts->hosts(),
                    .algorithm = name_of(scenario, algorithm)};
  // Who forces one asks about that one.
  const bool forced = scenario.question.algorithm == report.algorithm;
  for (const Way& way : ways_of(scenario)) {
    const bool is_chosen = way.algorithm == algorithm;
    if (forced && !is_chosen) continue;
    PlannedAlgorithm planned{.name = name_of(scenario, way.algorithm),
                             .summary = way.summary,
                             .formula_us = way.formula_us};
    const Status status =
        fill_in(scenario, way.algorithm, is_chosen ? kMostWorkOfChosen : kMostWork, planned,
                is_chosen ? &report : nullptr);
    if (status.code() == ErrorCode::kInvalidArgument) return status;
    if (!status.ok()) planned.left_out = status.message();
    report.candidates.push_back(std::move(planned));
  }
  std::stable_sort(report.candidates.begin(), report.candidates.end(),
                   [](const PlannedAlgorithm& a, const PlannedAlgorithm& b) {
                     if (a.left_out.empty() != b.left_out.empty()) return a.left_out.empty();
                     return a.predicted_us < b.predicted_us;
                   });
  report.reason = reason_for(scenario, report);
  return report;
}

}  // namespace rondo::explain
