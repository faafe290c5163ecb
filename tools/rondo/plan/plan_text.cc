#include "tools/rondo/plan/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/amounts.h"

namespace rondo::tool {
namespace {

std::string candidate_line(const PlannedAlgorithm& planned, bool chosen) {
  const std::string name = (chosen ? "* " : "  ") + planned.name;
  if (!planned.left_out.empty())
    return fmt::format("{:<22} left out: {}\n", name, planned.left_out);
  return fmt::format(
      "{:<22} {:>10} {:>10} {:>7} {:>10} {:>10}  {}\n", name, time_text(planned.predicted_us),
      planned.formula_us > 0 ? time_text(planned.formula_us) : "-", planned.steps,
      bytes_text(planned.most_rank_bytes), bytes_text(planned.most_link_bytes), planned.summary);
}

/// Of those that were simulated with rows of one size although theirs have two.
std::string bounds_text(const PlanReport& report) {
  std::string text;
  for (const PlannedAlgorithm& planned : report.candidates) {
    if (planned.least_us == planned.predicted_us) continue;
    text +=
        fmt::format("  {}: {:.6g} to {:.6g} ms with all rows as its shorter and longer ones{}\n",
                    planned.name, planned.least_us / 1000, planned.predicted_us / 1000,
                    planned.bounded ? ": what it is lies between" : ", or near that");
  }
  return text;
}

std::string busy_text(const PlannedUplink& uplink) {
  return uplink.busy_share > 0 ? fmt::format("{:.0f} %", 100 * uplink.busy_share) : "-";
}

/// Of hosts and switches; where there are more than so many, the busiest.
std::string uplinks_text(std::vector<PlannedUplink> uplinks, std::size_t most_lines) {
  if (uplinks.empty()) return {};
  if (uplinks.size() > most_lines)
    std::ranges::stable_sort(uplinks, std::greater(), &PlannedUplink::busy_share);
  std::string text =
      fmt::format("\n{:<22} {:>10} {:>10} {:>7}\n", "  shared links", "sent", "received", "busy");
  for (std::size_t i = 0; i < std::min(most_lines, uplinks.size()); ++i) {
    const PlannedUplink& uplink = uplinks[i];
    text += fmt::format("{:<22} {:>10} {:>10} {:>7}  {}{}\n", "  " + uplink.name,
                        bytes_text(uplink.up_bytes), bytes_text(uplink.down_bytes),
                        busy_text(uplink), uplink.of_switch ? "switch" : "host",
                        uplink.alike > 1 ? fmt::format(", {} alike", uplink.alike) : "");
  }
  if (uplinks.size() > most_lines) {
    text += fmt::format("  and {} more, busy {} at most; --links 0 shows all\n",
                        uplinks.size() - most_lines, busy_text(uplinks[most_lines]));
  }
  return text;
}

/// Those that carry most.
std::string links_text(const PlanReport& report, std::size_t most_lines) {
  if (report.links.empty()) return {};
  std::string text = fmt::format("\n{:<22} {:>10} {:>10}\n", "  links of " + report.algorithm,
                                 "bytes", "messages");
  for (std::size_t i = 0; i < std::min(most_lines, report.links.size()); ++i) {
    const PlannedLink& link = report.links[i];
    text += fmt::format("{:<22} {:>10} {:>10}  {}{}\n",
                        fmt::format("  rank {} -> {}", link.from, link.to), bytes_text(link.bytes),
                        link.messages, link.between_hosts ? "between hosts" : "inside a host",
                        link.alike > 1 ? fmt::format(", {} alike", link.alike) : "");
  }
  if (report.links.size() > most_lines) {
    text +=
        fmt::format("  and {} more, of {} at most; --links 0 shows all\n",
                    report.links.size() - most_lines, bytes_text(report.links[most_lines].bytes));
  }
  return text;
}

/// How many times the fastest's time it takes.
std::string ratio_text(const PlannedAlgorithm& planned, const PlannedAlgorithm& fastest) {
  if (!planned.left_out.empty()) return "-";
  if (planned.predicted_us <= fastest.predicted_us) return "1.00x";
  if (fastest.predicted_us <= 0) return "-";
  return fmt::format("{:.2f}x", planned.predicted_us / fastest.predicted_us);
}

}  // namespace

std::string plan_text(const PlanQuestion& question, const PlanReport& report,
                      std::size_t most_links) {
  std::string text = fmt::format("{} of {}, {} on {}\n", to_string(question.collective),
                                 bytes_text(question.bytes), count_text(report.ranks, "rank"),
                                 count_text(report.hosts, "host"));
  text += fmt::format("chosen: {}: {}\n\n", report.algorithm, report.reason);
  text += fmt::format("{:<22} {:>10} {:>10} {:>7} {:>10} {:>10}\n", "  algorithm", "predicted",
                      "formula", "steps", "most sent", "most sent");
  text += fmt::format("{:<22} {:>10} {:>10} {:>7} {:>10} {:>10}\n", "", "", "", "in a row",
                      "by a rank", "by a host");
  for (const PlannedAlgorithm& planned : report.candidates)
    text += candidate_line(planned, planned.name == report.algorithm);
  return text + bounds_text(report) + uplinks_text(report.uplinks, most_links) +
         links_text(report, most_links);
}

std::string crossover_heading() {
  return fmt::format("{:>10}  {:<20} {:>7}  {:<20} {:>10}  {:<20} {:>7}\n", "bytes", "chosen",
                     "ratio", "fastest predicted", "time", "next", "ratio");
}

std::string crossover_line(std::uint64_t bytes, const PlanReport& report) {
  const auto& list = report.candidates;
  const std::string start = fmt::format("{:>10}  {:<20} ", bytes_text(bytes), report.algorithm);
  if (list.empty() || !list.front().left_out.empty()) return start + "too large to simulate\n";
  const PlannedAlgorithm& best = list.front();
  const auto chosen = std::ranges::find(list, report.algorithm, &PlannedAlgorithm::name);
  std::string line = start + fmt::format("{:>7}  {:<20} {:>10}",
                                         chosen == list.end() ? "-" : ratio_text(*chosen, best),
                                         best.name, time_text(best.predicted_us));
  if (list.size() > 1 && list[1].left_out.empty())
    line += fmt::format("  {:<20} {:>7}", list[1].name, ratio_text(list[1], best));
  return line + "\n";
}

}  // namespace rondo::tool
