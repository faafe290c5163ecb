#include "tools/schedules_page/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "rondo/plan.h"
#include "rondo/schedules.h"
#include "tools/schedules_page/compare.h"
#include "tools/schedules_page/formulas.h"

namespace rondo::tool {
namespace {

constexpr Collective kCollectives[] = {
    Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter,
    Collective::kBroadcast, Collective::kReduce,    Collective::kGather,
    Collective::kScatter,   Collective::kAllToAll,  Collective::kBarrier};

struct NamedNetwork {
  const char* file;
  const char* title;
};
constexpr NamedNetwork kNetworks[] = {
    {"host_of_8.json", "8 ranks of one host"},
    {"8_hosts.json", "8 hosts, one rank each, 10 Gbit/s"},
    {"4_hosts_of_4.json", "4 hosts of 4 ranks, 10 Gbit/s"},
};
constexpr const char* kDrawnOn = "4_hosts.json";
constexpr std::size_t kDrawnBytes = std::size_t{256} * 1024;

constexpr const char* kIntroduction =
    R"(<!-- Written by `schedules_page`; the test schedules_page_is_current says how to write it anew. -->
# The built-in algorithms

Each is a pure function that emits what one rank does; `rondo verify` proves them right at every world up to 512. S is the number of bytes
of the larger of one rank's buffers, p the number of ranks. *Messages in a row* are those of the longest chain that wait for each
other. What a table says without italics is compared with the schedules themselves when this page is written, for 2 to 8 and 16 ranks on a host each, and what is said of h hosts for 2, 3, 4 and 8 of two and three ranks; costs in the text are their authors' formulas. Drawings: 256 KiB, four hosts of
one rank each, 10 Gbit/s ([4_hosts.json](schedules/4_hosts.json)); work above the line of a rank, messages as lines between ranks. In the words of the algorithms' files: a row is a
part of the data, alpha what a message takes, beta a byte on a link, gamma a byte that is combined.

)";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("can't read {}", path.string()));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Phases, cost and source are paragraphs of their own.
std::string paragraph_line(const std::string& line, const std::string& before) {
  bool begins = false;
  for (const char* word : {"Phase ", "Cost: ", "Source: "}) begins |= line.starts_with(word);
  return (begins && !before.ends_with("\n\n") ? "\n" : "") + line + "\n";
}

/// The comment that the algorithm's file begins with.
std::string description_of(const std::filesystem::path& source, const AlgorithmInfo& algorithm) {
  const auto folder = source / "collectives" / "algorithms";
  auto path = folder / (algorithm.name + "_" + algorithm.collective + ".cc");
  if (!std::filesystem::exists(path)) path = folder / (algorithm.name + ".cc");
  std::istringstream lines(text_of(path));
  std::string text;
  bool begun = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("//")) {
      begun = true;
      text += paragraph_line(line.size() > 3 ? line.substr(3) : std::string(), text);
    } else if (begun) {
      return text;
    }
  }
  throw std::runtime_error(fmt::format("{} begins with no comment", path.string()));
}

std::string drawing_of(const std::filesystem::path& source, const AlgorithmInfo& algorithm,
                       Collective collective) {
  PlanQuestion question{.collective = collective, .bytes = kDrawnBytes};
  if (collective == Collective::kBarrier) question.bytes = 0;
  question.network = text_of(source / "docs" / "schedules" / kDrawnOn);
  question.algorithm = algorithm.name;
  return draw_plan(question);
}

std::string bytes_text(std::size_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 1 << 10) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

/// The fastest, or `before` where that is as fast but for half a percent.
std::string fastest_of(const PlanReport& report, const std::string& before) {
  constexpr double kAlike = 1.005;
  const PlannedAlgorithm& first = report.candidates.front();
  const bool stays = std::ranges::any_of(report.candidates, [&](const PlannedAlgorithm& each) {
    return each.name == before && each.left_out.empty() &&
           each.predicted_us <= kAlike * first.predicted_us;
  });
  return stays ? before : first.name;
}

/// "one_shot to 2 KiB, ring", by simulation.
std::string crossovers_of(Collective collective, const std::string& network) {
  std::string text;
  std::string fastest;
  std::size_t last = 0;
  for (std::size_t bytes = 8; bytes <= std::size_t{64} << 20; bytes *= 2) {
    PlanQuestion question{.collective = collective, .bytes = bytes};
    question.network = network;
    const std::string name = fastest_of(explain_plan(question), fastest);
    if (!fastest.empty() && name != fastest)
      text += fmt::format("{} to {}, ", fastest, bytes_text(last));
    fastest = name;
    last = bytes;
  }
  return text + fastest;
}

std::vector<std::string> algorithms_of(Collective collective) {
  std::vector<std::string> names;
  for (const AlgorithmInfo& algorithm : built_in_algorithms())
    if (algorithm.collective == to_string(collective)) names.push_back(algorithm.name);
  return names;
}

/// Why a collective has no line in the tables; empty: it has one.
std::string why_not_in_tables(Collective collective) {
  const std::vector<std::string> names = algorithms_of(collective);
  if (names.size() == 1) {
    return fmt::format("{} has one algorithm, {}, for all sizes.", to_string(collective),
                       names.front());
  }
  if (collective == Collective::kBarrier) {
    return fmt::format("{} moves no data: no size decides between {}.", to_string(collective),
                       fmt::join(names, " and "));
  }
  return {};
}

std::string collectives_without_tables() {
  std::string text;
  for (const Collective collective : kCollectives) {
    const std::string why = why_not_in_tables(collective);
    if (!why.empty()) text += (text.empty() ? "" : " ") + why;
  }
  return "\nNot in the tables: " + text + "\n";
}

std::string crossover_tables(const std::filesystem::path& source) {
  std::string text =
      "## Where one becomes faster than another\n\nBy simulation, for sizes 8 B, 16 B, ... 64 MiB, "
      "on networks of this folder; measured ones take their place with\n`rondo tune` "
      "([tuning](tuning.md)), and `rondo plan COLLECTIVE --network FILE --crossovers` prints all "
      "sizes with their times. One stands for its sizes until another takes half a percent less.\n"
      "What a communicator without a tuning runs goes by formulas, and may be another: `rondo "
      "plan` "
      "says which, and why.\n" +
      collectives_without_tables();
  for (const NamedNetwork& network : kNetworks) {
    text += fmt::format("\n### {} ([{}](schedules/{}))\n\n| collective | fastest |\n|---|---|\n",
                        network.title, network.file, network.file);
    const std::string described = text_of(source / "docs" / "schedules" / network.file);
    for (const Collective collective : kCollectives) {
      if (!why_not_in_tables(collective).empty()) continue;
      text +=
          fmt::format("| {} | {} |\n", to_string(collective), crossovers_of(collective, described));
    }
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> schedules_page(const std::filesystem::path& source) {
  std::map<std::string, std::string> files;
  std::string page = kIntroduction;
  const std::vector<AlgorithmInfo> known = built_in_algorithms();
  for (const Collective collective : kCollectives) {
    page += fmt::format("## {}\n\n", to_string(collective));
    for (const AlgorithmInfo& algorithm : known) {
      if (algorithm.collective != to_string(collective)) continue;
      const Formula* formula = formula_of(algorithm.collective, algorithm.name);
      if (formula == nullptr) {
        throw std::runtime_error(fmt::format("{} {} has no formula (tools/schedules_page)",
                                             algorithm.collective, algorithm.name));
      }
      compare(algorithm, collective, *formula);
      const std::string drawing =
          fmt::format("schedules/{}_{}.svg", algorithm.collective, algorithm.name);
      files[drawing] = drawing_of(source, algorithm, collective);
      page += fmt::format(
          "### {}\n\n| messages in a row | most sent by a rank |\n|---|---|\n| {} | {} |\n\n{}\n"
          "![{} of four ranks]({})\n\n",
          algorithm.name, formula->messages, formula->sent, description_of(source, algorithm),
          algorithm.name, drawing);
    }
  }
  files["schedules.md"] = page + crossover_tables(source);
  return files;
}

}  // namespace rondo::tool
