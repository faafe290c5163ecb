// C's questions about plans (rondo/plan.h), and their answers.

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/c/convert.h"
#include "bindings/c/given_world.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"
#include "rondo/plan.h"

using rondo::c::checked;
using rondo::c::guarded;
using rondo::c::hand_text;
using rondo::c::need;

namespace {

/// What even the oldest header has.
constexpr std::size_t kLeastQuestion = offsetof(rondo_plan_question, root);

void set(std::string& option, const char* value) {
  if (value != nullptr) option = value;
}

rondo::PlanQuestion question_of(const rondo_plan_question* pointer) {
  need(pointer, "question");
  rondo_plan_question room;
  const rondo_plan_question* const given =
      rondo::c::known(pointer, room, kLeastQuestion, "rondo_plan_question");
  rondo::PlanQuestion question{
      .collective = rondo::c::collective_of(given->kind, "rondo_plan_question.kind"),
      .bytes = given->bytes,
      .type = rondo::c::type_of(given->type, "rondo_plan_question.type"),
      .root = given->root,
      .hosts = given->hosts,
      .ranks_per_host = given->ranks_per_host};
  question.deterministic = given->deterministic != 0;
  if (given->unused != 0)
    throw rondo::Error(
        rondo::ErrorCode::kInvalidArgument,
        fmt::format("rondo_plan_question.unused: expected 0, got {}", given->unused));
  if (given->registered != 0) question.memory = rondo::MemoryKind::kRegistered;
  set(question.network, given->network);
  set(question.tuning, given->tuning);
  set(question.algorithm, given->algorithm);
  set(question.schedule, given->schedule);
  rondo::c::check_given_world(question);
  return question;
}

rondo_plan_candidate candidate_of(const rondo::PlannedAlgorithm& planned, bool chosen) {
  return {.name = planned.name.c_str(),
          .summary = planned.summary.c_str(),
          .predicted_us = planned.predicted_us,
          .formula_us = planned.formula_us,
          .steps = planned.steps,
          .most_rank_bytes = planned.most_rank_bytes,
          .most_link_bytes = planned.most_link_bytes,
          .left_out = planned.left_out.c_str(),
          .chosen = chosen ? 1 : 0,
          .bounded = planned.bounded ? 1 : 0,
          .least_us = planned.least_us};
}

rondo_plan_link link_of(const rondo::PlannedLink& planned) {
  return {.from = planned.from,
          .to = planned.to,
          .messages = planned.messages,
          .bytes = planned.bytes,
          .between_hosts = planned.between_hosts ? 1 : 0,
          .alike = planned.alike};
}

rondo_plan_uplink uplink_of(const rondo::PlannedUplink& planned) {
  return {.name = planned.name.c_str(),
          .up_bytes = planned.up_bytes,
          .down_bytes = planned.down_bytes,
          .busy_share = planned.busy_share,
          .of_switch = planned.of_switch ? 1 : 0,
          .alike = planned.alike};
}

/// Where it stays, for others point into it.
std::unique_ptr<rondo_plan_report> report_of(rondo::PlanReport report) {
  auto made = std::make_unique<rondo_plan_report>();
  made->report = std::move(report);
  const rondo::PlanReport& kept = made->report;
  for (const rondo::PlannedAlgorithm& planned : kept.candidates)
    made->candidates.push_back(candidate_of(planned, planned.name == kept.algorithm));
  for (const rondo::PlannedLink& planned : kept.links) made->links.push_back(link_of(planned));
  for (const rondo::PlannedUplink& planned : kept.uplinks)
    made->uplinks.push_back(uplink_of(planned));
  made->choice = {.ranks = kept.ranks,
                  .hosts = kept.hosts,
                  .algorithm = kept.algorithm.c_str(),
                  .reason = kept.reason.c_str(),
                  .candidates = made->candidates.size(),
                  .links = made->links.size(),
                  .uplinks = made->uplinks.size()};
  return made;
}

template <typename Item>
const Item* item(const std::vector<Item>& items, std::size_t index, const char* what) {
  if (index < items.size()) return &items[index];
  throw rondo::Error(rondo::ErrorCode::kInvalidArgument,
                     fmt::format("{} {}: there are {}, from 0", what, index, items.size()));
}

}  // namespace

extern "C" {

rondo_status rondo_explain_plan(const rondo_plan_question* question, rondo_plan_report** out) {
  return guarded([&] {
    need(out, "out");
    *out = report_of(rondo::explain_plan(question_of(question))).release();
  });
}

rondo_status rondo_plan_report_choice(const rondo_plan_report* report,
                                      const rondo_plan_choice** out) {
  return guarded([&] {
    const auto& own = checked(report, "report");
    need(out, "out");
    *out = &own.choice;
  });
}

rondo_status rondo_plan_report_candidate(const rondo_plan_report* report, size_t index,
                                         const rondo_plan_candidate** out) {
  return guarded([&] {
    const auto& own = checked(report, "report");
    need(out, "out");
    *out = item(own.candidates, index, "candidate");
  });
}

rondo_status rondo_plan_report_link(const rondo_plan_report* report, size_t index,
                                    const rondo_plan_link** out) {
  return guarded([&] {
    const auto& own = checked(report, "report");
    need(out, "out");
    *out = item(own.links, index, "link");
  });
}

rondo_status rondo_plan_report_uplink(const rondo_plan_report* report, size_t index,
                                      const rondo_plan_uplink** out) {
  return guarded([&] {
    const auto& own = checked(report, "report");
    need(out, "out");
    *out = item(own.uplinks, index, "uplink");
  });
}

rondo_status rondo_plan_report_release(rondo_plan_report* report) {
  return guarded([&] { rondo::c::give_back(report, "report"); });
}

rondo_status rondo_draw_plan(const rondo_plan_question* question, char* text, size_t room,
                             size_t* needed) {
  return guarded([&] { hand_text(rondo::draw_plan(question_of(question)), text, room, needed); });
}

rondo_status rondo_describe_plan(const rondo_plan_question* question, int rank, char* text,
                                 size_t room, size_t* needed) {
  return guarded(
      [&] { hand_text(rondo::describe_plan(question_of(question), rank), text, room, needed); });
}

}  // extern "C"
