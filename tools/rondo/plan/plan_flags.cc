#include "tools/rondo/plan/plan_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <vector>

#include "core/json/reader.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/bench/sizes.h"

namespace rondo::tool {
namespace {

struct Hosts {
  int hosts = 0;
  int ranks = 0;
};

Hosts parse_hosts(std::string_view text) {
  Hosts hosts;
  const std::size_t cross = text.find('x');
  const auto number = [](std::string_view digits, int& value) {
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return problem == std::errc() && end == digits.data() + digits.size() && value > 0;
  };
  if (cross == std::string_view::npos || !number(text.substr(0, cross), hosts.hosts) ||
      !number(text.substr(cross + 1), hosts.ranks)) {
    throw UsageError(fmt::format(
        "--hosts: '{}' is not understood; expected HOSTSxRANKS, as in 2x4: two hosts of four ranks",
        text));
  }
  return hosts;
}

void set_world(const PlanFlags& flags, int ranks_otherwise, PlanQuestion& question) {
  if (!question.network.empty()) {
    if (flags.ranks != 0 || !flags.hosts.empty())
      throw UsageError(
          "--network says how many hosts and ranks there are: leave out --ranks, --hosts");
    return;
  }
  if (!question.tuning.empty() && flags.ranks == 0 && flags.hosts.empty()) {
    question.hosts = 0;
    return;
  }
  if (flags.hosts.empty()) {
    question.ranks_per_host = flags.ranks == 0 ? ranks_otherwise : flags.ranks;
    return;
  }
  const Hosts hosts = parse_hosts(flags.hosts);
  if (flags.ranks != 0 && std::int64_t{hosts.hosts} * hosts.ranks != flags.ranks) {
    throw UsageError(fmt::format("--hosts {} has {} ranks, --ranks says {}", flags.hosts,
                                 std::int64_t{hosts.hosts} * hosts.ranks, flags.ranks));
  }
  question.hosts = hosts.hosts;
  question.ranks_per_host = hosts.ranks;
}

}  // namespace

PlanQuestion question_of(const PlanFlags& flags) {
  constexpr int kRanks = 2;
  if (flags.collective.empty())
    throw UsageError("expected a collective, as in rondo plan all_reduce, or --run FILE");
  const Collective collective = parse_collective(flags.collective);
  const std::vector<DataType> types = parse_types(flags.type);
  if (types.size() != 1) throw UsageError(fmt::format("-d {}: expected one type", flags.type));
  PlanQuestion question = world_of(flags, kRanks);
  question.collective = collective;
  question.type = types.front();
  if (question.collective != Collective::kBarrier)
    question.bytes = parse_size("--bytes", flags.bytes);
  question.root = flags.root;
  question.algorithm = flags.algorithm;
  question.deterministic = flags.deterministic;
  return question;
}

bool describe_world(const PlanFlags& flags) {
  return flags.ranks != 0 || !flags.hosts.empty() || !flags.network_path.empty() ||
         !flags.tuning_path.empty() || !flags.schedule_path.empty();
}

PlanQuestion world_of(const PlanFlags& flags, int ranks_otherwise) {
  PlanQuestion question;
  if (!flags.network_path.empty()) question.network = read_text("--network", flags.network_path);
  if (!flags.tuning_path.empty()) question.tuning = read_text("--tuning", flags.tuning_path);
  if (!question.tuning.empty() && !question.network.empty())
    throw UsageError("--tuning says what the network is: leave out --network");
  if (!flags.schedule_path.empty())
    question.schedule = read_text("--schedule", flags.schedule_path);
  set_world(flags, ranks_otherwise, question);
  return question;
}

std::string read_text(std::string_view flag, const std::string& path) {
  auto text = json::read_file(path, fmt::format("{} {}", flag, path));
  if (!text.ok()) throw UsageError(text.status().message());
  // An empty text would stand for none.
  return text->empty() ? " " : std::move(text).value();
}

}  // namespace rondo::tool
