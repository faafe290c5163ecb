// C's memory, and what it can ask.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "bindings/c/convert.h"
#include "bindings/c/given_world.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"
#include "rondo/plan.h"

using rondo::c::check_room;
using rondo::c::checked;
using rondo::c::fill_in;
using rondo::c::guarded;
using rondo::c::need;

namespace {

/// What even the oldest header has.
constexpr std::size_t kLeastTraffic = offsetof(rondo_traffic, sent_bytes);
constexpr std::size_t kLeastCallInfo = offsetof(rondo_call_info, predicted_us);
constexpr std::size_t kLeastPlan = offsetof(rondo_plan, predicted_us);

/// Cut where it is longer; always ended.
template <std::size_t size>
void copy(char (&target)[size], std::string_view text) {
  const std::size_t length = text.copy(target, size - 1);
  target[length] = '\0';
}

rondo_plan plan_of(const rondo::PlanReport& report) {
  rondo_plan plan{};
  copy(plan.algorithm, report.algorithm);
  copy(plan.reason, report.reason);
  for (const rondo::PlannedAlgorithm& planned : report.candidates) {
    if (planned.name != report.algorithm) continue;
    plan.predicted_us = planned.predicted_us;
    plan.steps = planned.steps;
    plan.most_rank_bytes = planned.most_rank_bytes;
  }
  return plan;
}

rondo_traffic traffic_of(const rondo::PeerTraffic& peer) {
  rondo_traffic traffic{};
  traffic.peer = peer.peer;
  copy(traffic.transport, peer.transport);
  traffic.sent_bytes = peer.sent_bytes;
  traffic.received_bytes = peer.received_bytes;
  return traffic;
}

rondo_call_info info_of(const rondo::CallInfo& call) {
  rondo_call_info info{};
  copy(info.algorithm, call.algorithm);
  copy(info.transport, call.transport);
  copy(info.wire_format, call.wire_format);
  info.predicted_us = call.predicted_us;
  info.took_us = call.took_us;
  return info;
}

}  // namespace

extern "C" {

rondo_status rondo_allocate(size_t bytes, rondo_memory** out, void** data) {
  return guarded([&] {
    need(out, "out");
    need(data, "data");
    auto* const made =
        new rondo_memory{.word = rondo_memory::kWord, .memory = rondo::RegisteredMemory(bytes)};
    *out = made;
    *data = made->memory.data();
  });
}

rondo_status rondo_free(rondo_memory* memory) {
  return guarded([&] { rondo::c::give_back(memory, "memory"); });
}

rondo_status rondo_get_traffic(const rondo_communicator* communicator, int peer,
                               rondo_traffic* out) {
  return guarded([&] {
    const auto& own = checked(communicator, "communicator").communicator;
    need(out, "out");
    check_room(out->size, sizeof *out, kLeastTraffic, "rondo_traffic");
    const auto all = own.traffic();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const rondo::PeerTraffic& each) { return each.peer == peer; });
    if (found == all.end())
      throw rondo::Error(
          rondo::ErrorCode::kInvalidArgument,
          fmt::format("peer {}: expected another rank of the {} there are", peer, own.size()));
    fill_in(traffic_of(*found), out);
  });
}

rondo_status rondo_last_call(const rondo_communicator* communicator, rondo_call_info* out) {
  return guarded([&] {
    const auto& own = checked(communicator, "communicator").communicator;
    need(out, "out");
    check_room(out->size, sizeof *out, kLeastCallInfo, "rondo_call_info");
    fill_in(info_of(own.last_call()), out);
  });
}

rondo_status rondo_query_plan(rondo_kind kind, uint64_t bytes, rondo_type type, int hosts,
                              int ranks_per_host, const char* network, rondo_plan* out) {
  return guarded([&] {
    need(out, "out");
    check_room(out->size, sizeof *out, kLeastPlan, "rondo_plan");
    rondo::PlanQuestion question{.collective = rondo::c::collective_of(kind),
                                 .bytes = bytes,
                                 .type = rondo::c::type_of(type),
                                 .hosts = hosts,
                                 .ranks_per_host = ranks_per_host};
    if (network != nullptr) question.network = network;
    rondo::c::check_given_world(question);
    fill_in(plan_of(rondo::explain_plan(question)), out);
  });
}

}  // extern "C"
