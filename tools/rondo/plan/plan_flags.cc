#include "tools/rondo/plan/plan_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/json/reader.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/bench/sizes.h"

namespace rondo::tool {
namespace {

struct Hosts {
  int hosts = 0;
  int ranks = 0;  ///< of each
  std::int64_t world() const { return std::int64_t{hosts} * ranks; }
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

/// Hosts that are alike, one behind the other, in a network file (docs/networks.md). None where it
/// is no such file: who simulates on it says what is wrong.
std::vector<Hosts> groups_of(const std::string& network) {
  constexpr int kMost = 1 << 20;
  auto file = json::Document::parse(network, "--network");
  if (!file.ok()) return {};
  std::vector<Hosts> groups;
  for (json::Value group : file->root().at("hosts").items()) {
    groups.push_back({.hosts = static_cast<int>(group.at("count").integer(1, 1, kMost)),
                      .ranks = static_cast<int>(group.at("ranks").integer(1, 1, kMost))});
  }
  if (!file->status().ok()) groups.clear();
  return groups;
}

/// The file says what the world is; what is said besides has to be the same.
void check_network(const PlanFlags& flags, const std::string& network) {
  const std::vector<Hosts> groups = groups_of(network);
  std::int64_t hosts = 0;
  std::int64_t ranks = 0;
  for (const Hosts& group : groups) {
    hosts += group.hosts;
    ranks += group.world();
  }
  const auto refuse_unless = [&](bool same, const std::string& given,
                                 const std::string& described) {
    if (same || groups.empty()) return;
    throw UsageError(fmt::format("{}, --network {} describes {}: leave it out, or say the same",
                                 given, flags.network_path, described));
  };
  if (flags.ranks != 0)
    refuse_unless(flags.ranks == ranks, fmt::format("--ranks says {}", flags.ranks),
                  fmt::format("{}", ranks));
  if (flags.hosts.empty()) return;
  const Hosts given = parse_hosts(flags.hosts);
  refuse_unless(given.hosts == hosts,
                fmt::format("--hosts {} has {} hosts", flags.hosts, given.hosts),
                fmt::format("{}", hosts));
  for (const Hosts& group : groups) {
    refuse_unless(given.ranks == group.ranks,
                  fmt::format("--hosts {} has {} ranks on each host", flags.hosts, given.ranks),
                  fmt::format("one of {}", group.ranks));
  }
}

void set_world(const PlanFlags& flags, int ranks_otherwise, PlanQuestion& question) {
  if (!question.network.empty()) {
    if (flags.ranks != 0 || !flags.hosts.empty()) check_network(flags, question.network);
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
  if (flags.ranks != 0 && hosts.world() != flags.ranks) {
    throw UsageError(fmt::format("--hosts {} has {} ranks, --ranks says {}", flags.hosts,
                                 hosts.world(), flags.ranks));
  }
  question.hosts = hosts.hosts;
  question.ranks_per_host = hosts.ranks;
}

/// Of a file that is given: its text, and its path behind what errors call it ("network file").
void read_named(std::string_view flag, const std::string& path, std::string& text,
                std::string& name) {
  if (path.empty()) return;
  text = read_text(flag, path);
  name += " " + path;
}

}  // namespace

PlanQuestion question_of(const PlanFlags& flags) {
  constexpr int kRanks = 2;
  if (flags.collective.empty())
    throw UsageError("expected a collective, as in rondo plan all_reduce, or --run FILE");
  const Collective collective = parse_collective(flags.collective);
  PlanQuestion question = world_of(flags, kRanks);
  question.collective = collective;
  question.type = parse_type(flags.type);
  if (question.collective != Collective::kBarrier)
    question.bytes = parse_size("--bytes", flags.bytes);
  if (question.bytes % size_of(question.type) != 0) {
    throw UsageError(fmt::format("--bytes {}: expected whole elements of {}, {} bytes each",
                                 flags.bytes, to_string(question.type), size_of(question.type)));
  }
  question.root = flags.root;
  question.algorithm = flags.algorithm;
  question.deterministic = flags.deterministic;
  if (flags.buffers == "registered" && flags.tuning_path.empty())
    throw UsageError(
        "--buffers registered: a tuning tells the two kinds apart; expected --tuning FILE, too");
  question.memory = one_of("kind of buffers", flags.buffers, {"malloc", "registered"}) ==
                            std::string("registered")
                        ? MemoryKind::kRegistered
                        : MemoryKind::kOrdinary;
  return question;
}

bool describe_world(const PlanFlags& flags) {
  return flags.ranks != 0 || !flags.hosts.empty() || !flags.network_path.empty() ||
         !flags.tuning_path.empty() || !flags.schedule_path.empty();
}

PlanQuestion world_of(const PlanFlags& flags, int ranks_otherwise) {
  PlanQuestion question;
  read_named("--network", flags.network_path, question.network, question.network_name);
  if (flags.tuning_path == "measure" || flags.tuning_path == "off") {
    throw UsageError(
        fmt::format("--tuning {}: nothing is run here; expected a file that `rondo tune` has "
                    "written, or no --tuning",
                    flags.tuning_path));
  }
  read_named("--tuning", flags.tuning_path, question.tuning, question.tuning_name);
  if (!question.tuning.empty() && !question.network.empty())
    throw UsageError("--tuning says what the network is: leave out --network");
  read_named("--schedule", flags.schedule_path, question.schedule, question.schedule_name);
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
