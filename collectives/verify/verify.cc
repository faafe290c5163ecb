#include "collectives/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/verify/postcondition.h"
#include "collectives/verify/shape.h"

namespace rondo::verify {
namespace {

using schedule::FusedSchedule;

constexpr std::uint32_t kMostCredits = 64;

/// The same run again with contributor sets, so that the error can say what a value is made of.
Status explain(std::span<const FusedSchedule> world, const Model& model, Order order) {
  ContributorSets sets;
  Machine machine(world, model, &sets);
  RONDO_TRY(machine.run());
  RONDO_TRY(check_postcondition(world, machine.outcome(), &sets));
  return check_order(world, machine.outcome(), order);
}

Status in_model(const Status& status, const Model& model) {
  return Status(
      status.code(),
      fmt::format("{} ({} channels{}, {})", status.message(), model.lent ? "direct" : "eager",
                  model.lent && !model.stores ? " without stores" : "",
                  model.in_place ? "in place" : "out of place"),
      status.culprit(), status.where());
}

/// The shape has been checked.
Result<Report> run_model(std::span<const FusedSchedule> world, const Model& model, Order order) {
  Model trial = model;
  for (trial.credits = 1;; trial.credits *= 2) {
    Machine machine(world, trial, nullptr);
    Status status = machine.run();
    if (machine.deadlocked() && trial.credits * 2 <= model.credits) continue;
    if (status.ok()) status = check_postcondition(world, machine.outcome(), nullptr);
    if (status.ok()) status = check_order(world, machine.outcome(), order);
    if (status.ok()) return Report{trial.credits, machine.sweeps(), machine.messages()};
    return in_model(explain(world, trial, order), trial);
  }
}

}  // namespace

Result<Report> verify(std::span<const FusedSchedule> world, const Model& model, Order order) {
  RONDO_TRY(check_shape(world));
  return run_model(world, model, order);
}

std::vector<Model> models_for(std::span<const FusedSchedule> world, std::uint32_t credits) {
  bool has_direct = false;
  for (const FusedSchedule& own : world) {
    for (const schedule::Port& port : own.ports) has_direct = has_direct || port.direct;
  }
  std::vector<Model> models;
  for (const bool in_place : {false, true}) {
    models.push_back({.lent = false, .in_place = in_place, .credits = credits});
    models.push_back({.lent = true, .in_place = in_place, .credits = credits, .stores = false});
    if (!has_direct) continue;
    models.push_back({.lent = true, .in_place = in_place, .credits = credits, .stores = true});
  }
  return models;
}

Result<Report> verify(std::span<const FusedSchedule> world, Order order) {
  RONDO_TRY(check_shape(world));
  Report all;
  for (const Model& model : models_for(world, kMostCredits)) {
    RONDO_ASSIGN(const Report report, run_model(world, model, order));
    all.least_credits = std::max(all.least_credits, report.least_credits);
    all.sweeps += report.sweeps;
    all.messages += report.messages;
  }
  return all;
}

}  // namespace rondo::verify
