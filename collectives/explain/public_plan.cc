// The public face of explanations (rondo/plan.h): plain values, and errors as exceptions.

#include <fmt/format.h>

#include "collectives/explain/drawing.h"
#include "collectives/explain/explain.h"
#include "collectives/schedule/print.h"
#include "collectives/simulate/network_file.h"
#include "collectives/verify/write_algorithm.h"
#include "rondo/error.h"
#include "rondo/plan.h"

namespace rondo {
inline namespace v1 {
namespace {

Result<std::string> drawing_of(const PlanQuestion& question) {
  RONDO_ASSIGN(const explain::Scenario scenario, explain::scenario_of(question));
  RONDO_ASSIGN(const algorithms::Algorithm* algorithm, explain::chosen(scenario));
  if (scenario.world() > explain::kMostRanksDrawn) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("a drawing of {} ranks can't be looked at; expected at most {}",
                              scenario.world(), explain::kMostRanksDrawn));
  }
  RONDO_ASSIGN(const simulate::Prediction prediction,
               explain::predict_to_draw(scenario, algorithm));
  return explain::draw(scenario, name_of(scenario, algorithm), prediction);
}

Result<std::string> steps_of(const PlanQuestion& question, int rank) {
  RONDO_ASSIGN(const explain::Scenario scenario, explain::scenario_of(question));
  RONDO_ASSIGN(const algorithms::Algorithm* algorithm, explain::chosen(scenario));
  if (rank < 0 || rank >= scenario.world()) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("rank {} is no rank of a world of {} (0 to {})", rank,
                              scenario.world(), scenario.world() - 1));
  }
  RONDO_ASSIGN(const explain::Schedules schedules, explain::schedules_of(scenario, algorithm));
  return schedule::describe(select::schedule_of(schedules, rank));
}

Result<std::string> schedule_of(const PlanQuestion& question) {
  RONDO_ASSIGN(const explain::Scenario scenario, explain::scenario_of(question));
  RONDO_ASSIGN(const algorithms::Algorithm* algorithm, explain::chosen(scenario));
  if (algorithm == nullptr) return verify::write_schedule(*scenario.written);
  return verify::write_algorithm(*algorithm, explain::request_of(scenario, *algorithm),
                                 scenario.count);
}

Result<PlanReport> report_of(const PlanQuestion& question) {
  RONDO_ASSIGN(const explain::Scenario scenario, explain::scenario_of(question));
  return explain::explain(scenario);
}

Result<std::string> network_of(const PlanQuestion& question) {
  RONDO_ASSIGN(const explain::Scenario scenario, explain::scenario_of(question));
  return to_json(scenario.network);
}

}  // namespace

PlanReport explain_plan(const PlanQuestion& question) {
  return value_or_throw(report_of(question));
}

std::string draw_plan(const PlanQuestion& question) { return value_or_throw(drawing_of(question)); }

std::string describe_plan(const PlanQuestion& question, int rank) {
  return value_or_throw(steps_of(question, rank));
}

std::string schedule_of_plan(const PlanQuestion& question) {
  return value_or_throw(schedule_of(question));
}

std::string network_of_plan(const PlanQuestion& question) {
  return value_or_throw(network_of(question));
}

}  // namespace v1
}  // namespace rondo
