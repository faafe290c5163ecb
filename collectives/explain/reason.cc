#include "collectives/explain/reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace rondo::explain {
namespace {

constexpr std::string_view kByFormula = "the least time by the cost formula";
/// Times as close as this are told as equal.
constexpr double kAlike = 1.005;

bool take_as_long(const PlannedAlgorithm& one, const PlannedAlgorithm& other) {
  return one.predicted_us < kAlike * other.predicted_us &&
         other.predicted_us < kAlike * one.predicted_us;
}

std::string times_as_long(const PlannedAlgorithm& other, const PlannedAlgorithm& chosen) {
  return fmt::format("{:.2f} times as long", other.predicted_us / chosen.predicted_us);
}

/// The simulation has had no say in it; what it predicts may be something else.
std::string reason_by_formula(const PlannedAlgorithm& chosen, const PlannedAlgorithm& other) {
  if (!other.left_out.empty()) return fmt::format("{}; no other could be simulated", kByFormula);
  if (chosen.predicted_us <= 0)
    return fmt::format("{}; by the simulation it takes no time on this network", kByFormula);
  if (take_as_long(chosen, other))
    return fmt::format("{}; by the simulation {} takes as long", kByFormula, other.name);
  if (chosen.predicted_us < other.predicted_us) {
    return fmt::format("{}; the simulation agrees: {} would take {}", kByFormula, other.name,
                       times_as_long(other, chosen));
  }
  return fmt::format(
      "{}, which doesn't know this network as the simulation does; by the simulation {} takes "
      "less: {}",
      kByFormula, other.name, times_as_long(other, chosen));
}

/// Whether the first of the list, which is chosen, takes least on such memory.
bool is_least(std::span<const select::Candidate> list, MemoryKind memory) {
  const auto us = [&](const select::Candidate& each) {
    const bool is_apart = memory == MemoryKind::kRegistered && each.registered_us > 0;
    return is_apart ? each.registered_us : each.predicted_us;
  };
  return us(list.front()) <= us(*std::ranges::min_element(list, {}, us));
}

/// Of a choice by a tuning that another algorithm is predicted to be faster than.
std::string reason_beside(const Scenario& scenario, const PlannedAlgorithm& faster) {
  const auto candidates = priced(scenario);
  const auto candidate = std::ranges::find_if(candidates, [&](const select::Candidate& each) {
    return each.algorithm->name == faster.name;
  });
  if (candidate == candidates.end()) {
    return fmt::format(
        "the least predicted time of those that take a tenth of a second to "
        "simulate, at most; {} takes longer",
        faster.name);
  }
  if (!is_least(candidates, scenario.question.memory)) {
    return fmt::format(
        "the least behind on the memory, ordinary or registered, where it is further behind: "
        "{:.2f} times the least time there, and {} {:.2f}",
        select::most_behind(candidates.front(), candidates), faster.name,
        select::most_behind(*candidate, candidates));
  }
  const std::size_t chosen_for = select::priced_bytes(scenario.bytes());
  if (chosen_for == scenario.bytes())
    return "the least predicted time in longer pieces, which are chosen by";
  return fmt::format("the least predicted time at {} bytes, the nearest size that is chosen for",
                     chosen_for);
}

std::string reason_by_simulation(const Scenario& scenario, const PlannedAlgorithm& chosen,
                                 const PlannedAlgorithm& other) {
  if (!other.left_out.empty()) return "the only one that could be simulated";
  if (chosen.predicted_us <= 0) return "on this network it takes no time";
  if (take_as_long(chosen, other))
    return fmt::format("no other is predicted to take less: {} would take as long", other.name);
  if (chosen.predicted_us > other.predicted_us) return reason_beside(scenario, other);
  return fmt::format("the least predicted time: {} would take {}", other.name,
                     times_as_long(other, chosen));
}

std::string reason_of_choice(const Scenario& scenario, const PlanReport& report) {
  const auto& list = report.candidates;
  const auto chosen = std::ranges::find(list, report.algorithm, &PlannedAlgorithm::name);
  if (report.ranks == 1) return "one rank copies its input, whatever is chosen";
  const bool leaves_written_out = scenario.written != nullptr && !scenario.runs_written();
  if (list.size() == (leaves_written_out ? 2 : 1)) return "there is no other";
  if (chosen == list.end() || !chosen->left_out.empty())
    return fmt::format("{}; too large to simulate", kByFormula);
  const PlannedAlgorithm& other = chosen == list.begin() ? list[1] : list[0];
  return priced(scenario).empty() ? reason_by_formula(*chosen, other)
                                  : reason_by_simulation(scenario, *chosen, other);
}

/// Of an algorithm that is asked for.
std::string why_not_asked(const Scenario& scenario) {
  const PlanQuestion& question = scenario.question;
  if (scenario.asks_for_written())
    return fmt::format("a deterministic communicator goes without {}", question.algorithm);
  if (algorithms::find(question.collective, question.algorithm) == nullptr)
    return fmt::format("there is no {} of {}", question.algorithm, to_string(question.collective));
  return fmt::format("{} doesn't keep the order of ranks", question.algorithm);
}

}  // namespace

/// A communicator goes by what is forced where it can be used, and chooses where it can't.
std::string reason_for(const Scenario& scenario, const PlanReport& report) {
  const PlanQuestion& question = scenario.question;
  if (question.algorithm == report.algorithm) return "it is asked for";
  std::string reason = reason_of_choice(scenario, report);
  if (question.algorithm == "auto") return reason;
  return fmt::format("{}, so it is chosen among the others: {}", why_not_asked(scenario), reason);
}

}  // namespace rondo::explain
