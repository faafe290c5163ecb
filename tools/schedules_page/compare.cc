#include "tools/schedules_page/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rondo::tool {
namespace {

struct Hosts {
  int hosts = 1;
  int ranks = 1;  ///< of each
};

PlanReport planned(const AlgorithmInfo& algorithm, Collective collective, const Hosts& hosts,
                   std::size_t bytes) {
  PlanQuestion question{.collective = collective, .bytes = bytes};
  question.hosts = hosts.hosts;
  question.ranks_per_host = hosts.ranks;
  question.algorithm = algorithm.name;
  return explain_plan(question);
}

void require_equal(const AlgorithmInfo& algorithm, const Hosts& hosts, const char* what,
                   double formula, double schedule) {
  if (std::abs(formula - schedule) <= 1e-6 * std::max(1.0, schedule)) return;
  throw std::runtime_error(fmt::format(
      "{} {}, {} hosts of {}: {}: the formula (tools/schedules_page/formulas.cc) says {}, "
      "the schedule {}",
      algorithm.collective, algorithm.name, hosts.hosts, hosts.ranks, what, formula, schedule));
}

void compare_ranks(const AlgorithmInfo& algorithm, Collective collective, const Formula& formula) {
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 16}) {
    const std::size_t bytes = collective == Collective::kBarrier ? 0 : kLargeBytes;
    const Hosts hosts{ranks, 1};
    const PlanReport report = planned(algorithm, collective, hosts, bytes);
    const PlannedAlgorithm& plan = report.candidates.front();
    if (formula.messages_of != nullptr && formula.messages_of(ranks) >= 0) {
      require_equal(algorithm, hosts, "messages in a row", formula.messages_of(ranks),
                    static_cast<double>(plan.steps));
    }
    if (formula.sent_of != nullptr) {
      require_equal(algorithm, hosts, "bytes sent by a rank",
                    formula.sent_of(ranks) * static_cast<double>(bytes),
                    static_cast<double>(plan.most_rank_bytes));
    }
  }
}

double most_sent_by_a_host(const PlanReport& report) {
  std::uint64_t most = 0;
  for (const PlannedUplink& uplink : report.uplinks) most = std::max(most, uplink.up_bytes);
  return static_cast<double>(most);
}

void compare_hosts(const AlgorithmInfo& algorithm, Collective collective,
                   const HostFormula& formula) {
  for (const int count : {2, 3, 4, 8}) {
    for (const int ranks : {2, 3}) {
      const Hosts hosts{count, ranks};
      const PlanReport report = planned(algorithm, collective, hosts, formula.bytes);
      if (formula.messages_of != nullptr) {
        require_equal(algorithm, hosts, "messages in a row", formula.messages_of(count),
                      static_cast<double>(report.candidates.front().steps));
      }
      require_equal(algorithm, hosts, "bytes sent by a host",
                    formula.sent_of(count) * static_cast<double>(formula.bytes),
                    most_sent_by_a_host(report));
    }
  }
}

void require_italics(const AlgorithmInfo& algorithm, std::string_view words, bool is_compared) {
  if (is_compared || words.starts_with('*')) return;
  throw std::runtime_error(fmt::format("{} {}: '{}' is compared with nothing, and not in italics",
                                       algorithm.collective, algorithm.name, words));
}

}  // namespace

void compare(const AlgorithmInfo& algorithm, Collective collective, const Formula& formula) {
  compare_ranks(algorithm, collective, formula);
  bool has_hosts = false;
  for (const HostFormula& of_hosts : host_formulas()) {
    if (of_hosts.collective != algorithm.collective || of_hosts.algorithm != algorithm.name)
      continue;
    has_hosts = true;
    compare_hosts(algorithm, collective, of_hosts);
  }
  require_italics(algorithm, formula.messages, has_hosts || formula.messages_of != nullptr);
  require_italics(algorithm, formula.sent, has_hosts || formula.sent_of != nullptr);
}

}  // namespace rondo::tool
