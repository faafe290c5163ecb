#include "bindings/c/given_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "rondo/error.h"

namespace rondo::c {
namespace {

struct Hosts {
  int count = 0;
  int ranks = 0;  ///< of each
};

/// Of a line that says nothing but what `key` is.
std::optional<int> number_of(std::string_view line, std::string_view key) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (!line.starts_with(key)) return std::nullopt;
  line.remove_prefix(key.size());
  int number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  return number;
}

/// As network_of_plan writes them: all numbers, each on a line of its own.
std::vector<Hosts> hosts_of(const PlanQuestion& question) {
  PlanQuestion asked{.hosts = 0, .ranks_per_host = 0};
  asked.network = question.network;
  asked.network_name = question.network_name;
  std::istringstream text(network_of_plan(asked));
  std::vector<Hosts> hosts;
  for (std::string line; std::getline(text, line);) {
    if (const auto count = number_of(line, "\"count\": ")) hosts.push_back({.count = *count});
    if (const auto ranks = number_of(line, "\"ranks\": ")) hosts.back().ranks = *ranks;
  }
  return hosts;
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
  for (const Hosts& each : hosts_of(question)) {
    hosts += each.count;
    ranks += each.count * each.ranks;
    alike = alike && (question.ranks_per_host == 0 || question.ranks_per_host == each.ranks);
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
