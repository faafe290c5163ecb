#include "collectives/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "collectives/verify/postcondition.h"
#include "collectives/verify/shape.h"

namespace rondo::verify {
namespace {

using schedule::FusedSchedule;
using schedule::Rotation;

/// A sender never waits for room (execute/host/send_queue.h): as many as a schedule may have ops.
constexpr std::uint32_t kMostCredits = 1U << 22;

/// The same run again with the values' lineage, so that the error can say what a value is made of,
/// and which sweep is to blame.
Status explain(std::span<const FusedSchedule> world, const Model& model, Order order) {
  Lineage lineage;
  const Rotation none = Rotation::none(static_cast<int>(world.size()));
  Machine machine(world, none, model, &lineage);
  RONDO_TRY(machine.run());
  RONDO_TRY(check_postcondition(world, none, machine.outcome()));
  return check_order(world, machine.outcome(), order);
}

std::string_view channels(const Model& model) {
  if (model.waits_teach_least) return "direct and eager";
  return model.lent ? "direct" : "eager";
}

Status in_model(const Status& status, const Model& model) {
  return Status(status.code(),
                fmt::format("{} ({} channels{}, {})", status.message(), channels(model),
                            model.lent && !model.stores ? " without stores" : "",
                            model.in_place ? "in place" : "out of place"),
                status.culprit(), status.where());
}

struct Trial {
  Status status;
  Report report;
  bool same_out_of_place = false;  ///< see Machine
};

Trial try_model(std::span<const FusedSchedule> bases, const Rotation& rotation, const Model& model,
                Order order) {
  Machine machine(bases, rotation, model, nullptr);
  Status status = machine.run();
  if (status.ok()) status = check_postcondition(bases, rotation, machine.outcome());
  if (status.ok()) status = check_order(bases, machine.outcome(), order);
  const bool same = status.ok() && model.in_place && machine.is_the_same_out_of_place();
  return {std::move(status), {machine.credits(), machine.sweeps(), machine.messages()}, same};
}

/// The shape has been checked.
Result<Report> run_model(std::span<const FusedSchedule> world, const Model& model, Order order) {
  const Rotation none = Rotation::none(static_cast<int>(world.size()));
  const Trial trial = try_model(world, none, model, order);
  if (trial.status.ok()) return trial.report;
  return in_model(explain(world, model, order), model);
}

void add(const Report& report, Report& all) {
  all.least_credits = std::max(all.least_credits, report.least_credits);
  all.sweeps += report.sweeps;
  all.messages += report.messages;
}

bool has_waits(std::span<const FusedSchedule> world) {
  for (const FusedSchedule& own : world) {
    for (const std::vector<schedule::Sweep>& lane : own.lanes) {
      const auto waits = [](const schedule::Sweep& sweep) { return sweep.is_wait; };
      if (std::any_of(lane.begin(), lane.end(), waits)) return true;
    }
  }
  return false;
}

/// What the runs of verify_at_once counted; nothing where they don't accept.
std::optional<Report> accept_at_once(std::span<const FusedSchedule> bases, const Rotation& rotation,
                                     Order order) {
  if (has_waits(bases)) return std::nullopt;
  const Model strict{.lent = true, .in_place = true, .credits = kMostCredits, .lends_all = true};
  const Trial races = try_model(bases, rotation, strict, order);
  if (!races.status.ok()) return std::nullopt;
  if (races.same_out_of_place) return races.report;
  const std::uint32_t credits = races.report.least_credits;
  const Trial values = try_model(bases, rotation, {.credits = credits, .values_only = true}, order);
  if (!values.status.ok()) return std::nullopt;
  return Report{credits, races.report.sweeps + values.report.sweeps,
                races.report.messages + values.report.messages};
}

/// The shape has been checked.
Result<Report> run_all_models(std::span<const FusedSchedule> world, Order order) {
  Report all;
  for (const Model& model : models_for(world, kMostCredits)) {
    RONDO_ASSIGN(const Report report, run_model(world, model, order));
    add(report, all);
  }
  return all;
}

/// The shape has been checked.
Result<Report> run_at_once(std::span<const FusedSchedule> world, Order order) {
  const Rotation none = Rotation::none(static_cast<int>(world.size()));
  if (const std::optional<Report> report = accept_at_once(world, none, order)) return *report;
  return run_all_models(world, order);
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
  const bool waits = has_waits(world);
  std::vector<Model> models;
  for (const bool in_place : {false, true}) {
    models.push_back({.lent = false, .in_place = in_place, .credits = credits});
    models.push_back({.lent = true, .in_place = in_place, .credits = credits, .stores = false});
    if (has_direct)
      models.push_back({.lent = true, .in_place = in_place, .credits = credits, .stores = true});
    if (!waits) continue;
    models.push_back({.lent = true,
                      .in_place = in_place,
                      .credits = credits,
                      .lends_all = true,
                      .waits_teach_least = true});
  }
  return models;
}

Result<Report> verify(std::span<const FusedSchedule> world, Order order) {
  RONDO_TRY(check_shape(world));
  return run_all_models(world, order);
}

Result<Report> verify_at_once(std::span<const FusedSchedule> world, Order order) {
  RONDO_TRY(check_shape(world));
  return run_at_once(world, order);
}

std::optional<Report> accept_folded(const schedule::FoldedWorld& world, Order order) {
  if (world.rotation.order() == 1 || !check_shape(world.bases, world.rotation).ok()) return {};
  return accept_at_once(world.bases, world.rotation, order);
}

Result<Report> verify_values(const schedule::FoldedWorld& world, Order order) {
  RONDO_TRY(check_shape(world.bases, world.rotation));
  Report all;
  for (const bool in_place : {false, true}) {
    const Model model{.in_place = in_place, .credits = kMostCredits, .values_only = true};
    const Trial trial = try_model(world.bases, world.rotation, model, order);
    if (trial.status.ok()) {
      add(trial.report, all);
    } else if (world.rotation.order() == 1) {
      return in_model(explain(world.bases, model, order), model);
    } else {
      return verify_values({Rotation::none(world.rotation.world()), unfold(world)}, order);
    }
  }
  return all;
}

Result<Report> verify_at_once(const schedule::FoldedWorld& world, Order order) {
  RONDO_TRY(check_shape(world.bases, world.rotation));
  if (world.rotation.order() == 1) return run_at_once(world.bases, order);
  if (auto report = accept_at_once(world.bases, world.rotation, order)) return *report;
  return verify_at_once(unfold(world), order);
}

}  // namespace rondo::verify
