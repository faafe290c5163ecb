#include "collectives/execute/host/drive.h"

#include <fmt/format.h>

#include "transport/wire/call_history.h"

namespace rondo::execute {
namespace {

constexpr std::int64_t kFirstComparisonUs = 1000;
constexpr std::int64_t kComparisonPeriodUs = 10'000;

}  // namespace

Status compare_calls(int rank, const transport::Call& call, transport::Endpoint& peer) {
  const auto theirs = peer.peer_call(call.sequence);
  if (!theirs.has_value()) return {};
  return transport::check_call(rank, call, peer.peer(), call.sequence, *theirs);
}

Status Runner::run(const transport::Call& call, std::byte* input, std::byte* output,
                   const RunContext& context) {
  begin(call, input, output);
  return end(drive(call, context), context.rank);
}

Status Runner::drive(const transport::Call& call, const RunContext& context) {
  context.waiter->restart();
  std::int64_t next_comparison_us = kFirstComparisonUs;
  while (true) {
    RONDO_ASSIGN(const bool moved, step());
    if (finished()) return {};
    if (moved) {
      context.waiter->restart();
      next_comparison_us = kFirstComparisonUs;
      continue;
    }
    RONDO_TRY(context.waiter->wait());
    const std::int64_t waited_us = context.waiter->waited_us();
    if (waited_us >= next_comparison_us) {
      next_comparison_us = waited_us + kComparisonPeriodUs;
      RONDO_TRY(compare_with_neighbours(call, context));
      if (waited_us / 1000 >= context.timeout_ms) return timed_out(call, context);
    }
  }
}

Status Runner::compare_with_neighbours(const transport::Call& call, const RunContext& context) {
  for (transport::Endpoint* neighbour : context.neighbours) {
    RONDO_TRY(neighbour->announce_call());
    RONDO_TRY(compare_calls(context.rank, call, *neighbour));
  }
  return {};
}

Status Runner::timed_out(const transport::Call& call, const RunContext& context) const {
  const int peer = waits_for();
  return Status(
      ErrorCode::kTimeout,
      fmt::format("nothing came from rank {} for {} ms in call #{} {}; is it stopped, or "
                  "did it make fewer calls? (RONDO_TIMEOUT_MS sets the limit)",
                  peer, context.timeout_ms, call.sequence, transport::to_string(call.fingerprint)),
      peer);
}

}  // namespace rondo::execute
