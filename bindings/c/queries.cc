// C's memory, and what it can ask.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"
#include "rondo/plan.h"

using rondo::c::checked;
using rondo::c::guarded;
using rondo::c::need;

namespace {

/// Cut where it is longer; always ended.
template <std::size_t size>
void copy(char (&target)[size], std::string_view text) {
  const std::size_t length = text.copy(target, size - 1);
  target[length] = '\0';
}

void fill_in(const rondo::PlanReport& report, rondo_plan& plan) {
  copy(plan.algorithm, report.algorithm);
  copy(plan.reason, report.reason);
  for (const rondo::PlannedAlgorithm& planned : report.candidates) {
    if (planned.name != report.algorithm) continue;
    plan.predicted_us = planned.predicted_us;
    plan.steps = planned.steps;
    plan.most_rank_bytes = planned.most_rank_bytes;
  }
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
    const auto all = own.traffic();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const rondo::PeerTraffic& each) { return each.peer == peer; });
    if (found == all.end())
      throw rondo::Error(
          rondo::ErrorCode::kInvalidArgument,
          fmt::format("peer {}: expected another rank of the {} there are", peer, own.size()));
    *out = rondo_traffic{};
    out->peer = peer;
    copy(out->transport, found->transport);
    out->sent_bytes = found->sent_bytes;
    out->received_bytes = found->received_bytes;
  });
}

rondo_status rondo_last_call(const rondo_communicator* communicator, rondo_call_info* out) {
  return guarded([&] {
    const auto& own = checked(communicator, "communicator").communicator;
    need(out, "out");
    const rondo::CallInfo info = own.last_call();
    copy(out->algorithm, info.algorithm);
    copy(out->transport, info.transport);
    copy(out->wire_format, info.wire_format);
    out->predicted_us = info.predicted_us;
    out->took_us = info.took_us;
  });
}

rondo_status rondo_query_plan(rondo_kind kind, uint64_t bytes, rondo_type type, int hosts,
                              int ranks_per_host, const char* network, rondo_plan* out) {
  return guarded([&] {
    need(out, "out");
    rondo::PlanQuestion question{.collective = rondo::c::collective_of(kind),
                                 .bytes = bytes,
                                 .type = rondo::c::type_of(type),
                                 .hosts = hosts,
                                 .ranks_per_host = ranks_per_host};
    if (network != nullptr) question.network = network;
    const rondo::PlanReport report = rondo::explain_plan(question);
    *out = rondo_plan{};
    fill_in(report, *out);
  });
}

}  // extern "C"
