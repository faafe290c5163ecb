#include "bindings/c/given_world.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "rondo/error.h"

namespace rondo::c {
namespace {

/// The network's groups of hosts that are alike, in JSON.
nlohmann::json groups_of(const PlanQuestion& question) {
  PlanQuestion asked{.hosts = 0, .ranks_per_host = 0};
  asked.network = question.network;
  asked.network_name = question.network_name;
  return nlohmann::json::parse(network_of_plan(asked)).at("hosts");
}

}  // namespace

void check_given_world(PlanQuestion& question) {
  const PlanQuestion unsaid;
  const bool has_default =
      question.hosts == unsaid.hosts || question.ranks_per_host == unsaid.ranks_per_host;
  // Beside a tuning there may be no network at all: whoever answers says so.
  if (question.network.empty() || !question.tuning.empty() || !has_default) return;
  int hosts = 0;
  int ranks = 0;
  bool alike = true;
  for (const auto& group : groups_of(question)) {
    const int count = group.at("count");
    const int ranks_of_each = group.at("ranks");
    hosts += count;
    ranks += count * ranks_of_each;
    alike = alike && (question.ranks_per_host == 0 || question.ranks_per_host == ranks_of_each);
  }
  if (!alike || (question.hosts != 0 && question.hosts != hosts)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} hosts of {} ranks: {} describes {} ranks on {} hosts; expected the "
                    "same, or 0 and 0",
                    question.hosts, question.ranks_per_host, question.network_name, ranks, hosts));
  }
  question.hosts = 0;
  question.ranks_per_host = 0;
}

}  // namespace rondo::c
