// What a plan's reason says has decided: the cost formula, or by a tuning the simulation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "rondo/plan.h"

namespace rondo {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

/// Links that are far slower than those that the formula has in mind: by size the two agree,
/// disagree, and differ in what is a tie to the simulation.
constexpr const char* kSlowLinks = R"({"hosts": [{"count": 4, "ranks": 1, "up_gbit_s": 0.1}]})";

PlanReport by_formula(std::size_t bytes) {
  return explain_plan({.bytes = bytes, .network = kSlowLinks});
}

/// The same links, as measured ones.
PlanReport by_tuning(std::size_t bytes) {
  PlanQuestion question{.bytes = bytes, .hosts = 0};
  question.tuning = std::string(R"({"rondo_tuning": 1, "network": )") + kSlowLinks + "}";
  return explain_plan(question);
}

const PlannedAlgorithm& named(const PlanReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.candidates, name, &PlannedAlgorithm::name);
  EXPECT_NE(found, report.candidates.end()) << name;
  return *found;
}

void expect_least_by_formula(const PlanReport& report) {
  const double chosen_us = named(report, report.algorithm).formula_us;
  EXPECT_GT(chosen_us, 0);
  for (const PlannedAlgorithm& each : report.candidates)
    EXPECT_GE(each.formula_us, chosen_us) << each.name;
}

TEST(Reason, WithoutATuning_IsTheFormula_WithWhichTheSimulationAgrees) {
  const PlanReport report = by_formula(64);
  expect_least_by_formula(report);
  ASSERT_EQ(report.candidates.front().name, report.algorithm) << "they agree";
  EXPECT_THAT(report.reason,
              MatchesRegex("the least time by the cost formula; the simulation agrees: " +
                           report.candidates[1].name + " would take 1\\.[0-9]+ times as long"));
}

TEST(Reason, WithoutATuning_IsTheFormula_ThoughTheSimulationSaysAnother) {
  const PlanReport report = by_formula(8);
  expect_least_by_formula(report);
  const PlannedAlgorithm& fastest = report.candidates.front();
  ASSERT_LT(1.005 * fastest.predicted_us, named(report, report.algorithm).predicted_us);
  EXPECT_THAT(report.reason,
              MatchesRegex("the least time by the cost formula, which doesn't know this network as "
                           "the simulation does; by the simulation " +
                           fastest.name + " takes less: 0\\.[0-9]+ times as long"));
}

TEST(Reason, WithoutATuning_IsTheFormula_WhereTheSimulationSeesATie) {
  const PlanReport report = by_formula(64 << 10);
  expect_least_by_formula(report);
  const PlannedAlgorithm& fastest = report.candidates.front();
  ASSERT_NE(fastest.name, report.algorithm);
  ASSERT_GT(named(report, fastest.name).formula_us,
            1.1 * named(report, report.algorithm).formula_us)
      << "no tie to the formula";
  EXPECT_EQ(report.reason, "the least time by the cost formula; by the simulation " + fastest.name +
                               " takes as long");
}

/// What decides is another, and so are the choice and the reason.
TEST(Reason, WithATuning_IsTheSimulation) {
  const PlanReport least = by_tuning(8);
  EXPECT_NE(least.algorithm, by_formula(8).algorithm);
  EXPECT_EQ(least.algorithm, least.candidates.front().name);
  EXPECT_THAT(least.reason, MatchesRegex("the least predicted time: " + least.candidates[1].name +
                                         " would take 1\\.[0-9]+ times as long"));
  const PlanReport tie = by_tuning(64 << 10);
  EXPECT_NE(tie.algorithm, by_formula(64 << 10).algorithm);
  EXPECT_EQ(tie.reason, "no other is predicted to take less: " + tie.candidates[1].name +
                            " would take as long");
}

std::string times_of(const std::string& algorithm, const std::string& memory, double us) {
  return R"({"collective": "reduce", "algorithm": ")" + algorithm + R"(", "memory": ")" + memory +
         R"(", "times": [{"bytes": 65536, "us": )" + std::to_string(us) +
         R"(, "simulated_us": 10}]})";
}

/// On registered memory another is faster than what is chosen, or on ordinary memory.
TEST(Reason, OfAChoiceForBothKindsOfMemory_SaysHowFarItIsBehind) {
  PlanQuestion question{
      .collective = Collective::kReduce, .bytes = 65536, .hosts = 0, .ranks_per_host = 0};
  question.tuning =
      R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 2}]}, "measured": [)" +
      times_of("tree", "ordinary", 10) + "," + times_of("direct", "ordinary", 10) + "," +
      times_of("linear", "ordinary", 900) + "," + times_of("hierarchical", "ordinary", 900) + "," +
      times_of("tree", "registered", 5) + "," + times_of("direct", "registered", 7.5) + "]}";
  const PlanReport ordinary = explain_plan(question);
  question.memory = MemoryKind::kRegistered;
  const PlanReport registered = explain_plan(question);
  EXPECT_EQ(ordinary.algorithm, "direct");
  EXPECT_EQ(registered.algorithm, "direct") << "whatever memory is asked about";
  EXPECT_THAT(ordinary.reason, HasSubstr("the least predicted time: "));
  EXPECT_EQ(registered.candidates.front().name, "tree");
  EXPECT_THAT(registered.reason,
              MatchesRegex("the least behind on the memory, ordinary or registered, where it is "
                           "further behind: [0-9.]+ times the least time there, and tree [0-9.]+"));
  EXPECT_NEAR(named(registered, "direct").predicted_us,
              0.75 * named(ordinary, "direct").predicted_us, 1e-6);
}

/// More ranks than are chosen for by simulation.
TEST(Reason, OfAWorldTooLargeForATuning_IsTheFormula) {
  PlanQuestion question{.bytes = 64, .hosts = 65, .ranks_per_host = 1};
  question.tuning = std::string(R"({"rondo_tuning": 1, "network": )") + kSlowLinks + "}";
  const PlanReport report = explain_plan(question);
  expect_least_by_formula(report);
  EXPECT_THAT(report.reason, HasSubstr("the least time by the cost formula"));
}

/// A tuning by which nothing takes time says nothing of what takes least.
TEST(Reason, OfATuningThatPricesNothing_IsTheFormula) {
  PlanQuestion question{.bytes = 64, .hosts = 0};
  question.tuning = R"({"rondo_tuning": 1, "network": {
      "hosts": [{"ranks": 3}], "inside": {"maps": true, "messages": [
          {"latency_us": 0, "send_us": 0, "receive_us": 0, "send_gb_s": 0, "receive_gb_s": 0}]},
      "work": {"call_us": 0, "read_gb_s": 0, "write_gb_s": 0, "reduce_gb_s": 0}}})";
  EXPECT_EQ(explain_plan(question).reason,
            "the least time by the cost formula; by the simulation it takes no time on this "
            "network");
}

/// Ranks that differ, of which every pair would exchange a message.
TEST(Reason, WhereNoOtherCouldBeSimulated_IsTheFormulaToo) {
  const PlanReport report = explain_plan({.collective = Collective::kBarrier, .network = R"({
    "hosts": [{"count": 2400, "ranks": 1}, {"ranks": 3, "cores": 1, "up_gbit_s": 1}]})"});
  ASSERT_EQ(report.candidates.size(), 2U);
  EXPECT_EQ(report.candidates[0].left_out, "");
  EXPECT_NE(report.candidates[1].left_out, "");
  EXPECT_EQ(report.reason, "the least time by the cost formula; no other could be simulated");
}

TEST(Reason, OfOneThatCantBeForced_EndsWithWhatHasDecided) {
  const PlanReport report =
      explain_plan({.bytes = 64, .network = kSlowLinks, .algorithm = "bruck"});
  EXPECT_EQ(report.reason, "there is no bruck of all_reduce, so it is chosen among the others: " +
                               by_formula(64).reason);
  EXPECT_THAT(by_tuning(64).reason, Not(HasSubstr("formula")));
}

}  // namespace
}  // namespace rondo
